import { ApiError, type Call, forbidden, type Row, type Sublist } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertRights } from '../rbac/rights.ts';

/** The instance groups that a record prefers, first things first. Taking one in or out needs the right to use it, too. */
export function instanceGroupsOf(kind: 'organization' | 'inventory' | 'template'): Sublist {
  const check = async (trx: Knex, parent: Row, group: Row, { actor }: Call) => {
    if (kind === 'template' && parent.organization_id === null && !actor?.is_superuser)
      throw forbidden('Only a superuser may choose instance groups for a template without organization.');
    await assertRights(trx, actor, [{ type: 'instance_group', field: 'use_role', id: group.id }]);
  };
  return {
    resource: 'instance_group',
    attach: true,
    through: {
      table: `${kind}_instance_groups`,
      parent: `${kind}_id`,
      child: 'instance_group_id',
      ordered: true,
    },
    check,
    checkDetach: check,
  };
}

/** Where the projects of an organization fetch collections from, in this order. */
export const galaxyCredentials: Sublist = {
  resource: 'credential',
  attach: true,
  through: {
    table: 'organization_galaxy_credentials',
    parent: 'organization_id',
    child: 'credential_id',
    ordered: true,
  },
  async check(trx, _organization, credential, { actor }) {
    const type = await trx('credential_types').where({ id: credential.credential_type_id }).first('kind');
    if (type?.kind !== 'galaxy')
      throw new ApiError(400, { msg: 'Only credentials for Ansible Galaxy or Automation Hub can be attached here.' });
    await assertRights(trx, actor, [{ type: 'credential', field: 'use_role', id: credential.id }]);
  },
};

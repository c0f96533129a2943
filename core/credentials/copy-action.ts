import type { Action, Row, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { nextId } from '../db/next-id.ts';
import { copyAction } from '../descriptors/write/copy-action.ts';
import { giveToCreator } from '../rbac/roles.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { type CredentialRow, resealFor } from './check-credential.ts';
import type { Inputs } from './input-schema.ts';

interface Deps {
  db: Knex;
  keyRing: KeyRing;
  rules: { see: Rule; copy: Rule };
}

/** Another credential for the same owner, secrets included. */
export const copyCredentialAction = ({ db, keyRing, rules }: Deps): Action =>
  copyAction({
    db,
    type: 'credential',
    table: 'credentials',
    rules,
    summary: 'Whether the caller may copy it; a copy with its secrets',
    async columns(original: Row & { inputs: Inputs }, trx) {
      const { description, organization_id, user_id, credential_type_id } = original;
      const { inputs: schema } = await trx('credential_types').where({ id: credential_type_id }).first('inputs');
      // secrets are bound to their row
      const id = await nextId(trx, 'credentials');
      const inputs = JSON.stringify(resealFor(keyRing, schema, original, id));
      return { id, description, organization_id, user_id, credential_type_id, inputs };
    },
    async after(trx, copied, { id: original, user_id: owner }: CredentialRow) {
      await trx.raw(
        `insert into credential_input_sources (description, input_field_name, metadata, target_credential_id, source_credential_id, created_by_id, modified_by_id)
         select description, input_field_name, metadata, :copy, source_credential_id, :author, :author
         from credential_input_sources where target_credential_id = :original order by id`,
        { copy: copied.id, original, author: copied['created_by_id'] as number | null },
      );
      if (owner !== null) await giveToCreator(trx, 'credential', copied.id, owner);
    },
  });

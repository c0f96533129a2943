import type { Call, Row, Rule, Sublist } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertRights } from '../rbac/rights.ts';
import { runEvents } from './default-messages.ts';

interface Attaching {
  /** whoever may attach, besides the right to change what is attached */
  write: Rule;
  /** `approvals` as well: of what has approvals */
  approvals?: boolean;
  /** refuses a parent by throwing */
  check?(parent: Row): void;
}

const mayChange = (trx: Knex, { organization_id: id }: Row, { actor }: Call): Promise<void> =>
  assertRights(trx, actor, [{ type: 'organization', field: 'notification_admin_role', id: Number(id) }]);

function notificationLists(parent: 'template' | 'organization', options: Attaching): Record<string, Sublist> {
  const { write, approvals = false, check } = options;
  const list = (event: string): Sublist => ({
    resource: 'notification_template',
    attach: true,
    create: true,
    write,
    through: {
      table: `${parent}_notifications`,
      parent: `${parent}_id`,
      child: 'notification_template_id',
      where: { event },
    },
    async check(trx, row, template, call) {
      check?.(row);
      await mayChange(trx, template, call);
    },
    checkDetach: (trx, _row, template, call) => mayChange(trx, template, call),
  });
  return Object.fromEntries(
    [...runEvents, ...(approvals ? ['approvals'] : [])].map((event) => [
      `notification_templates_${event}`,
      list(event),
    ]),
  );
}

/** The lists below templates of any kind that say where word of their runs goes (contract D4). */
export const notificationsOfTemplate = (options: Attaching): Record<string, Sublist> =>
  notificationLists('template', options);

/** The same for all runs of an organization. */
export const notificationsOfOrganization = (options: Attaching): Record<string, Sublist> =>
  notificationLists('organization', options);

import type { Call } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { clearUnusable, unlinkUnusable } from '../../descriptors/write/leave-out.ts';

/** The copy of a template names nothing that whoever copies it could not name in one of their own. */
export async function leaveOutUnusable(trx: Knex, call: Call, template: number): Promise<void> {
  const rows = trx('templates').where({ id: template });
  await clearUnusable(trx, call, rows, 'execution_environment_id', 'execution_environment');
  await clearUnusable(trx, call, rows, 'default_environment_id', 'execution_environment');
  await clearUnusable(trx, call, rows, 'webhook_credential_id', 'credential');
  await unlinkUnusable(trx, call, trx('template_instance_groups').where({ template_id: template }), 'instance_group');
  await unlinkUnusable(trx, call, trx('template_labels').where({ template_id: template }), 'label');
}

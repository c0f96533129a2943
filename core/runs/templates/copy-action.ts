import type { Action } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { copyAction, type CopyOptions } from '../../descriptors/write/copy-action.ts';

const notCopied = new Set([
  'id',
  'name',
  'created',
  'modified',
  'created_by_id',
  'modified_by_id',
  'status',
  'current_run_id',
  'last_run_id',
  'last_job_run',
  'last_job_failed',
  'next_job_run',
  'next_schedule_id',
  'scm_revision',
  'local_path',
  'playbook_files',
  'inventory_files',
  'host_config_key',
  'webhook_key',
]);

type TemplateCopy = Pick<CopyOptions, 'db' | 'type' | 'rules' | 'refuses' | 'after'>;

/** @param options with the kind of the templates as type */
export const copyTemplateAction = (options: TemplateCopy): Action =>
  copyAction({
    ...options,
    table: 'templates',
    columns: (original) =>
      Object.fromEntries(
        Object.entries(original)
          .filter(([key]) => !notCopied.has(key))
          .map(([key, value]) => [key, isJson(value) ? JSON.stringify(value) : value]),
      ),
  });

const isJson = (value: unknown) => typeof value === 'object' && value !== null && !(value instanceof Date);

/** What hangs on a template by lists; the order of its instance groups stays. */
export async function copyLists(trx: Knex, copied: { id: number }, original: { id: number }): Promise<void> {
  await trx.raw(
    `insert into template_instance_groups (template_id, instance_group_id)
     select ?, instance_group_id from template_instance_groups where template_id = ? order by position`,
    [copied.id, original.id],
  );
  await trx.raw(
    'insert into template_labels (template_id, label_id) select ?, label_id from template_labels where template_id = ?',
    [copied.id, original.id],
  );
  await trx.raw(
    'insert into template_credentials (template_id, credential_id) select ?, credential_id from template_credentials where template_id = ?',
    [copied.id, original.id],
  );
}

import type { Knex } from 'knex';
import { type Action, type Call, type Rule, ApiError, ValidationError, field } from '@tapline/plugin-sdk';
import { copyName } from '../engine/copy-name.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { copyFields, launchFields, launchInfoFields } from './launch-fields.ts';
import { launchInfo } from './launch-info.ts';
import type { LaunchService } from './launch.ts';

/** The launch answers with the job as its detail shows it, but for what only a run can tell. */
export async function jobReply(
  call: Call,
  run: { id: number; status: string; [column: string]: unknown },
  extra: Record<string, unknown> = {},
) {
  const [job] = await call.represent('job', [run.id], 'detail');
  // it may be running already; the answer is about the launch
  const asLaunched = { status: run.status, started: null, execution_node: '', controller_node: '' };
  const { playbook_counts: _plays, host_status_counts: _hosts, ...shown } = job ?? { id: run.id };
  return {
    status: 201,
    headers: { Location: `/api/v2/jobs/${run.id}/` },
    body: { job: run.id, ...extra, ...shown, ...asLaunched },
  };
}

export const launchAction = (
  deps: { db: Knex; keyRing: KeyRing; launch: LaunchService },
  rules: { see: Rule; execute: Rule },
): Action => ({
  access: { GET: rules.see, POST: rules.execute },
  summary: 'Launch the template',
  fields: launchFields,
  answers: {
    GET: { fields: launchInfoFields },
    POST: { status: 201, type: 'job', fields: { job: field.integer(), ignored_fields: field.json() } },
  },
  launches: 201,
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: await launchInfo(deps, row.id) };
    const { run, ignored } = await deps.launch.launchTemplate({
      templateId: row.id,
      prompts: call.body,
      actor: call.actor,
      authority: call.actor,
      waiting: true,
      origin: { kind: 'api', id: null, client_ip: call.ip },
    });
    return jobReply(call, run, { ignored_fields: ignored });
  },
});

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
  'scm_revision',
  'local_path',
  'playbook_files',
  'inventory_files',
  'host_config_key',
]);

/** contract/jobs.md §26; `after` finishes the copy in the same transaction. */
export const copyAction = ({
  db,
  type,
  rules: { see, copy },
  after,
}: {
  db: Knex;
  type: string;
  rules: { see: Rule; copy: Rule };
  after?: (trx: Knex, copied: any, original: any, call: Call) => Promise<void>;
}): Action => ({
  access: { GET: see, POST: copy },
  summary: 'Copy it under another name',
  fields: copyFields,
  answers: { GET: { fields: { can_copy: field.boolean() } }, POST: { status: 201, type } },
  async handler(call, row) {
    if (call.method === 'GET')
      return {
        status: 200,
        body: { can_copy: (await copy.row(call.actor, row, db)) && !(type === 'project' && !row.scm_type) },
      };
    const id = await db.transaction(async (trx) => {
      const original = await trx('templates').where({ id: row.id }).first();
      const name = copyName(call.body['name'], original.name);
      if (type === 'project' && !original.scm_type)
        throw new ApiError(403, 'A manual project cannot be copied: its folder belongs to one project.');
      const columns = Object.fromEntries(
        Object.entries(original)
          .filter(([key]) => !notCopied.has(key))
          .map(([key, value]) => [key, isJson(value) ? JSON.stringify(value) : value]),
      );
      const actor = call.actor?.id ?? null;
      const [copied] = await trx('templates')
        .insert({ ...columns, name, created_by_id: actor, modified_by_id: actor })
        .onConflict()
        .ignore()
        .returning('*');
      if (!copied)
        throw new ValidationError({
          __all__: [`A ${type.replace('_', ' ')} with this name and organization already exists.`],
        });
      await after?.(trx, copied, original, call);
      await call.copyExtensions(trx, type, original.id, copied.id);
      await call.written(trx, type, copied);
      return copied.id as number;
    });
    const [body] = await call.represent(type, [id], 'detail');
    return { status: 201, body, headers: { Location: String(body?.['url'] ?? '') } };
  },
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

import { type Knex, type PluginApi, safeText, type StatusChange } from '@tapline/plugin-sdk';
import type { WebhookEvent } from './webhook.ts';

const paths: Record<string, string> = { job: 'jobs', workflow_job: 'workflow_jobs' };
const ended = new Set(['successful', 'failed', 'error', 'canceled']);
const longest = 4096;

interface Named {
  id: number;
  name: string;
}

interface RunRow {
  name: string;
  kind: string;
  launch_type: string;
  created: string;
  started: string | null;
  finished: string | null;
  job_explanation: string;
  origin: { kind: string };
  organization: Named | null;
  inventory: Named | null;
  template: Named | null;
  actor: Named | null;
}

const named = (alias: string, name = 'name') =>
  `case when ${alias}.id is null then null else json_build_object('id', ${alias}.id, 'name', ${alias}.${name}) end`;

/** What a target is told: enough to act upon, neither variables nor output, below 20 kB. */
export async function payloadOf(
  { db, settings }: PluginApi,
  change: StatusChange,
  event: WebhookEvent,
): Promise<object | undefined> {
  const run = await readRun(db, change.run_id);
  if (!run) return undefined;
  const base = settings.get('TOWER_URL_BASE', '');
  // as of the change: by now it may have ended
  const finished = ended.has(change.to) ? run.finished : null;
  return {
    type: event,
    timestamp: change.at,
    data: {
      id: change.run_id,
      type: run.kind,
      name: run.name,
      status: change.to,
      seq: change.seq,
      url: `${base.endsWith('/') ? base.slice(0, -1) : base}/api/v2/${paths[run.kind]}/${change.run_id}/`,
      organization: run.organization,
      ...(run.kind === 'job' ? { job_template: run.template } : { workflow_job_template: run.template }),
      inventory: run.inventory,
      launch_type: run.launch_type,
      launched_by: run.actor ? { ...run.actor, type: 'user' } : { id: null, name: run.origin.kind, type: 'system' },
      created: run.created,
      started: run.started,
      finished,
      elapsed: finished && run.started ? secondsBetween(run.started, finished) : 0,
      job_explanation: finished ? safeText(run.job_explanation, longest) : '',
    },
  };
}

const readRun = (db: Knex, id: number): Promise<RunRow | undefined> =>
  db('core_runs as r')
    .leftJoin('core_organizations as o', 'o.id', 'r.organization_id')
    .leftJoin('core_inventories as i', 'i.id', 'r.inventory_id')
    .leftJoin('core_templates as t', 't.id', 'r.template_id')
    .leftJoin('core_users as u', 'u.id', 'r.actor_id')
    .where({ 'r.id': id })
    .first(
      'r.name',
      'r.kind',
      'r.launch_type',
      'r.created',
      'r.started',
      'r.finished',
      'r.job_explanation',
      'r.origin',
      {
        organization: db.raw(named('o')),
        inventory: db.raw(named('i')),
        template: db.raw(named('t')),
        actor: db.raw(named('u', 'username')),
      },
    );

const secondsBetween = (from: string, to: string) => Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);

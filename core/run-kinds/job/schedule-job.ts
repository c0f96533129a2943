import { ApiError, type Call, forbidden, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Bus } from '../../queue/bus.ts';
import { type LaunchedRun as Job, secretAnswers } from '../../runs/prompts/secret-answers.ts';
import type { Visible } from '../../runs/access.ts';
import { lackedRight } from '../../runs/prompts/named.ts';
import { storeLaunch } from '../../runs/saved-prompts/store-launch.ts';
import { savedOfSchedule } from '../../schedules/saved.ts';
import { columnsOfRule } from '../../schedules/times.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { masked } from '../../secrets/masked.ts';
import { readVariables } from '../../yaml/variables.ts';
import { loadCredentials, loadTemplate } from './launch/load.ts';
import { allPasswordsNeeded } from './launch/passwords.ts';
import { jobPrompts } from './launch/prompts.ts';

export interface ScheduleJobDeps {
  db: Knex;
  visible: Visible;
  keyRing: KeyRing;
  bus: Pick<Bus, 'notify'>;
}

/** Why the job cannot be launched by the clock; undefined: it can. */
export async function scheduleProblem({ db, keyRing }: ScheduleJobDeps, job: Job): Promise<string | undefined> {
  if (!job.prompts) return 'It is not known how the job was launched.';
  const gone = [
    ...(job.template_id === null ? ['job template'] : []),
    ...(job.project_id === null ? ['project'] : []),
    ...(job.inventory_id === null ? ['inventory'] : []),
  ];
  if (gone.length) return `The ${gone.join(', ')} of the job is gone.`;
  const ids = await db('run_credentials').where({ run_id: job.id }).pluck('credential_id');
  const needed = allPasswordsNeeded(await loadCredentials(db, ids), keyRing);
  return needed.length ? `Cannot create a schedule: passwords are needed at launch (${needed.join(', ')}).` : undefined;
}

/**
 * Whoever may repeat what others launched must not get a copy of its own to change: what it names is asked about as in any new schedule.
 * Undefined: nothing is lacked.
 */
export async function lackedForSchedule(
  { db, visible }: ScheduleJobDeps,
  { actor }: Call,
  job: Job,
): Promise<string | undefined> {
  if (actor?.is_superuser || job.template_id === null) return undefined;
  const template = await loadTemplate(db, job.template_id);
  if (!template) return undefined;
  const asking = { template: { ...template, variables: {} }, asker: null, visible };
  return lackedRight(db, actor, jobPrompts, { ...asking, accepted: await stillThere(db, job) });
}

/** contract/jobs.md §12.3: disabled, monthly, with what the job was launched with. */
export async function scheduleJob(deps: ScheduleJobDeps, call: Call, job: Job): Promise<Row> {
  const problem = await scheduleProblem(deps, job);
  if (problem) throw new ApiError(400, { error: problem });
  const lacked = await lackedForSchedule(deps, call, job);
  if (lacked) throw forbidden(lacked);
  const secret = secretAnswers(deps.keyRing, call.actor, job);
  const variables = await readVariables(job.prompts!['extra_vars'] ?? {}, { patient: true });
  const now = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const rule = await columnsOfRule(`DTSTART:${now} RRULE:FREQ=MONTHLY;INTERVAL=1`, { enabled: false });
  return deps.db.transaction(async (trx) => {
    const author = call.actor && call.actor.id > 0 ? call.actor.id : null;
    const row = await storeLaunch({ trx, keyRing: deps.keyRing }, savedOfSchedule.saved, {
      columns: {
        ...rule,
        name: await freeName(trx, job),
        unified_job_template_id: job.template_id,
        enabled: false,
        created_by_id: author,
        modified_by_id: author,
      },
      prompts: await stillThere(trx, job),
      open: Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== masked)),
      secret,
    });
    await call.written(trx, 'schedule', row);
    await deps.bus.notify(trx, 'schedules', { schedules: [row.id] });
    return row;
  });
}

/** No two schedules of a template have one name. */
async function freeName(trx: Knex, { id, template_id: template }: Job): Promise<string> {
  await trx('templates').where({ id: template }).forNoKeyUpdate().first('id');
  const name = `Auto-generated schedule from job ${id}`;
  const taken = new Set(
    await trx('schedules').where({ unified_job_template_id: template }).whereLike('name', `${name}%`).pluck('name'),
  );
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name} (${number})`;
  return free;
}

const tables = {
  inventory: 'inventories',
  execution_environment: 'execution_environments',
  credentials: 'credentials',
  labels: 'labels',
  instance_groups: 'instance_groups',
} as const;

/** What the launch named and has been deleted since is left out, and credentials that the template has by itself. */
async function stillThere(trx: Knex, { prompts, template_id: template }: Job): Promise<Record<string, unknown>> {
  const kept: Record<string, unknown> = { ...prompts };
  for (const [name, table] of Object.entries(tables)) {
    const value = kept[name];
    if (value === undefined || value === null) continue;
    const ids = Array.isArray(value) ? (value as number[]) : [Number(value)];
    const found = trx(`${table} as n`).whereRaw('n.id = any (?)', [ids]);
    if (name === 'credentials')
      found.whereNotExists((own) =>
        own.from('template_credentials as c').where({ template_id: template }).whereRaw('c.credential_id = n.id'),
      );
    // at most one statement for each kind of record that prompts name
    // oxlint-disable-next-line no-await-in-loop
    const known = new Set<number>(await found.pluck('n.id'));
    const left = ids.filter((id) => known.has(id));
    kept[name] = Array.isArray(value) ? left : left[0];
  }
  return kept;
}

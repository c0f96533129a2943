import { type Action, type Call, type Rule, field, notFound, type Shown } from '@tapline/plugin-sdk';
import type { LaunchedRun as Job } from '../../runs/prompts/secret-answers.ts';
import { readVariables } from '../../yaml/variables.ts';
import { jobPrompts } from './launch/prompts.ts';
import { lackedForSchedule, scheduleJob, type ScheduleJobDeps, scheduleProblem } from './schedule-job.ts';

type Prompts = Record<string, unknown>;

/** `create_schedule/` of a job: with what it would be launched again by the clock (contract/jobs.md §12.3). */
export const createScheduleAction = (deps: ScheduleJobDeps, rules: { see: Rule; start: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.start },
  summary: 'A schedule for the same launch',
  answers: {
    GET: { fields: { can_schedule: field.boolean(), prompts: field.json({ help: 'What the launch brought.' }) } },
    POST: { status: 201, type: 'schedule' },
  },
  async handler(call, { id }) {
    const job: Job | undefined = await deps.db('runs').where({ id }).first();
    if (!job) throw notFound();
    if (call.method === 'POST') {
      const schedule = await scheduleJob(deps, call, job);
      const [body] = await call.represent('schedule', [schedule.id], 'detail');
      return { status: 201, body };
    }
    const can_schedule =
      (await scheduleProblem(deps, job)) === undefined && (await lackedForSchedule(deps, call, job)) === undefined;
    const prompts = job.prompts
      ? await shownPrompts(call, job.prompts)
      : { all: 'It is not known how the job was launched.' };
    return { status: 200, body: { can_schedule, prompts } };
  },
});

/** Saved prompts as clients read them: what names records shows these, as far as the caller sees them. */
async function shownPrompts(call: Call, stored: Prompts): Promise<Prompts> {
  const shown: Prompts = {};
  for (const { name, names } of jobPrompts) {
    const value = stored[name];
    if (value === undefined) continue;
    if (name === 'extra_vars') shown[name] = await readVariables(value, { patient: true });
    else if (!names) shown[name] = value;
    else {
      // a statement or two for each prompt that names records, of which there are five
      // oxlint-disable-next-line no-await-in-loop
      const records = await seen(call, names.type, Array.isArray(value) ? (value as number[]) : [Number(value)]);
      shown[name] = shapeOf(name, value, records);
    }
  }
  return shown;
}

const shapeOf = (name: string, value: unknown, records: object[]): unknown => {
  if (name === 'labels') return { count: records.length, results: records };
  return Array.isArray(value) ? records : (records[0] ?? null);
};

async function seen(call: Call, type: string, ids: readonly number[]): Promise<object[]> {
  const visible = await call.visible(type, ids);
  const records: Shown[] = await call.represent(
    type,
    ids.filter((id) => visible.has(id)),
    'list',
  );
  return records.map(({ id, name, description }) => ({
    id,
    name,
    ...(description === undefined ? {} : { description }),
  }));
}

import type { Knex } from 'knex';
import { type Action, type Call, type Rule, ApiError, ValidationError, field } from '@tapline/plugin-sdk';
import { isActive } from '../../../runs/states.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { LaunchDoor } from '../../../runs/start.ts';
import { launchReply } from '../../../runs/templates/reply.ts';
import { readPasswords } from '../../../runs/prompts/passwords.ts';
import { type LaunchedRun as Job, secretAnswers } from '../../../runs/prompts/secret-answers.ts';
import { assertPromptsStillAsked } from '../../../runs/prompts/still-asked.ts';
import { loadCredentials } from './load.ts';
import { allPasswordsNeeded } from './passwords.ts';
import { jobPrompts, relaunchFields, relaunchInfoFields } from './prompts.ts';

interface RelaunchDeps {
  db: Knex;
  keyRing: KeyRing;
  launch: LaunchDoor;
}

/** contract/jobs.md §12.2: the template as it is now, with the prompts of the first launch; without a template the job as it was. */
export const relaunchAction = (deps: RelaunchDeps, rules: { see: Rule; relaunch: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.relaunch },
  summary: 'Launch it again',
  fields: relaunchFields,
  // passwords may stand beside the others by their own names
  validate: false,
  answers: {
    GET: { fields: relaunchInfoFields },
    POST: { status: 201, type: 'job', fields: { job: field.integer() } },
  },
  launches: 201,
  async handler(call, row) {
    const job: Job | undefined = await deps.db('runs').where({ id: row.id }).first();
    if (!job) throw new ApiError(404, 'Not found.');
    return call.method === 'GET' ? { status: 200, body: await relaunchInfo(deps, job) } : relaunch(deps, call, job);
  },
});

async function relaunchInfo(deps: RelaunchDeps, job: Job): Promise<Record<string, unknown>> {
  const counts = isActive(job.status)
    ? `Relaunch by host status is not possible until the job, now ${job.status}, has ended.`
    : await hostCounts(deps.db, job.id);
  return { passwords_needed_to_start: await passwordsOf(deps, job.id), retry_counts: counts };
}

async function hostCounts(db: Knex, job: number): Promise<{ all: number; failed: number }> {
  const { rows } = await db.raw(
    'select count(*) as all, count(*) filter (where failed) as failed from job_host_summaries where run_id = ?',
    [job],
  );
  return { all: Number(rows[0].all), failed: Number(rows[0].failed) };
}

async function passwordsOf({ db, keyRing }: RelaunchDeps, job: number): Promise<string[]> {
  const ids = await db('run_credentials').where({ run_id: job }).pluck('credential_id');
  return allPasswordsNeeded(await loadCredentials(db, ids), keyRing);
}

async function relaunch(deps: RelaunchDeps, call: Call, job: Job) {
  const hosts = call.body['hosts'] ?? 'all';
  if (hosts !== 'all' && hosts !== 'failed')
    throw ValidationError.field('hosts', `"${String(hosts)}" is not a valid choice.`);
  const limit = hosts === 'failed' ? await failedHosts(deps.db, job) : undefined;
  const missing = [
    ...(job.project_id === null ? ['The project of the job is gone.'] : []),
    ...(job.inventory_id === null ? ['The inventory of the job is gone.'] : []),
  ];
  if (missing.length) throw new ApiError(400, { errors: missing });
  const { passwords, errors } = readPasswords(call.body);
  if (Object.keys(errors).length) throw new ValidationError(errors);
  const orphan = job.template_id === null;
  const secretVariables = secretAnswers(deps.keyRing, call.actor, job);
  if (!orphan) await assertPromptsStillAsked(deps.db, call.actor, jobPrompts, job);
  const { run } = await deps.launch
    .start({
      kind: job.kind,
      template: job.template_id,
      again: job.id,
      prompts: { ...(orphan ? {} : { ...job.prompts, inventory: job.inventory_id }), credential_passwords: passwords },
      secretVariables,
      honourPrompts: true,
      organizationId: job.organization_id,
      actor: call.actor,
      authority: call.actor,
      origin: { kind: 'relaunch', id: job.id, client_ip: call.ip },
      waiting: true,
      columns: {
        inventory_id: job.inventory_id,
        job_slice_number: job.job_slice_number,
        job_slice_count: job.job_slice_count,
        ...(limit === undefined ? {} : { limit }),
        ...(orphan ? { prompts: JSON.stringify(job.prompts) } : {}),
      },
    })
    .catch(passwordsUnderTheirName);
  return launchReply(call, run, { status: 201, name: 'job' });
}

/** This route names the missing passwords differently from launch. */
function passwordsUnderTheirName(error: unknown): never {
  if (error instanceof ValidationError && Array.isArray(error.body['passwords_needed_to_start'])) {
    const { passwords_needed_to_start: names, ...others } = error.body;
    throw new ValidationError({ ...others, credential_passwords: names });
  }
  throw error;
}

/** By their present names: a host may have been renamed since. */
async function failedHosts(db: Knex, job: Job): Promise<string> {
  if (isActive(job.status))
    throw new ApiError(400, {
      hosts: `Relaunch by host status is not possible until the job, now ${job.status}, has ended.`,
    });
  const { all } = await hostCounts(db, job.id);
  if (!all)
    throw new ApiError(400, { hosts: 'The job has no final counts of its hosts, so the failed ones are not known.' });
  const { rows } = await db.raw(
    'select coalesce(h.name, s.host_name) as name from job_host_summaries s left join hosts h on h.id = s.host_id where s.run_id = ? and s.failed order by s.id',
    [job.id],
  );
  const names: string[] = rows.map((row: { name: string }) => row.name);
  if (!names.length) throw new ApiError(400, { hosts: 'No host of the job failed.' });
  return names.join(',');
}

import { type Call, field, type Route, ValidationError } from '@tapline/plugin-sdk';
import { role } from '../../../rbac/role-rules.ts';
import { authenticated } from '../../../rbac/rules.ts';
import { lackedRight, missingRecords } from '../../../runs/prompts/named.ts';
import type { PromptedTemplate } from '../../../runs/prompts/prompt.ts';
import { promptsOf } from '../../../runs/prompts/prompts.ts';
import { readLaunchBody } from '../../../runs/prompts/read.ts';
import { launchReply } from '../../../runs/templates/reply.ts';
import type { Variables } from '../../../yaml/variables.ts';
import { handedOn } from '../prompts.ts';
import type { WorkflowServices } from '../services.ts';
import { readJobs } from './jobs.ts';

const member = role('organization', 'member_role');
const common = promptsOf(['extra_vars', ...handedOn]);

const fields = {
  jobs: field.list({
    required: true,
    help: 'unified_job_template, and identifier, extra_data and what else a workflow node launches with.',
  }),
  name: field.string({ default: 'Bulk Job Launch' }),
  description: field.text(),
  organization: field.ref('organization'),
  ...Object.fromEntries(common.map((prompt) => [prompt.name, prompt.field])),
  extra_vars: field.json({ orText: true, help: 'Variables for every job whose template takes them.' }),
};

const refused = (message: string) => ValidationError.field('__all__', message);

/** `POST bulk/job_launch/`: a workflow job with a node for each of the jobs, or nothing at all. */
export const bulkLaunch = (services: WorkflowServices): Route => ({
  path: '/api/v2/bulk/job_launch/',
  summary: 'Launch many templates at once',
  access: { GET: authenticated, POST: authenticated },
  fields,
  answers: {
    GET: { fields: { detail: field.string() } },
    POST: { status: 201, type: 'workflow_job', fields: { workflow_job: field.integer() } },
  },
  launches: 201,
  async handler(call) {
    if (call.method === 'GET')
      return { status: 200, body: { detail: 'Launch many templates at once by a POST with a list of jobs.' } };
    const jobs = call.body['jobs'] as unknown[];
    const most = services.settings.get('BULK_JOB_MAX_LAUNCH');
    if (!jobs.length) throw ValidationError.field('jobs', 'This list may not be empty.');
    if (jobs.length > most) throw refused(`${jobs.length} jobs are more than the ${most} of BULK_JOB_MAX_LAUNCH.`);
    const organization = await organizationOf(services, call);
    const { extra_vars: variables, ...given } = await readCommon(services, call);
    const nodes = await readJobs(services, call, jobs, (variables ?? {}) as Variables);
    const { inventory, ...texts } = given;
    const columns = {
      name: call.body['name'] || 'Bulk Job Launch',
      description: call.body['description'] ?? '',
      organization_id: organization,
      ...(inventory === undefined ? {} : { inventory_id: inventory }),
      ...texts,
    };
    const { run } = await services.launch.start({
      kind: 'workflow_job',
      template: null,
      prompts: {},
      actor: call.actor,
      authority: call.actor,
      waiting: true,
      origin: { kind: 'api', id: null, client_ip: call.ip },
      columns: { bulk: { columns, nodes } },
    });
    return launchReply(call, run, { status: 201, name: 'workflow_job' });
  },
});

/** Of whom it is not said, and who is a member of one, of that one. */
async function organizationOf({ db }: WorkflowServices, { actor, body }: Call): Promise<number | null> {
  const asked = (body['organization_id'] ?? body['organization'] ?? null) as number | null;
  if (actor?.is_superuser) return asked;
  const own = db('organizations as t').orderBy('t.id').limit(2);
  if (asked !== null) void own.where('t.id', asked);
  member.query(actor, own, 't');
  const ids: number[] = await own.pluck('t.id');
  if (asked !== null && !ids.length) throw refused('You are not a member of the organization.');
  if (!ids.length) throw refused('You are a member of no organization, so there is none that it could belong to.');
  if (ids.length > 1) throw refused('You are a member of several organizations: say to which of them it belongs.');
  return ids[0]!;
}

/** What counts for every job whose template asks for it. Every refusal is 400. */
async function readCommon(services: WorkflowServices, { actor, body }: Call): Promise<Record<string, unknown>> {
  const { db, settings, visible } = services;
  const sent = Object.fromEntries(
    common.flatMap(({ name, column }) => {
      const value = body[name] ?? (column ? body[column] : undefined);
      return value == null || value === '' ? [] : [[name, value]];
    }),
  );
  const { given, errors } = await readLaunchBody(common, sent, settings);
  const none = { inventory_id: null, labels: [], credentials: [] } as unknown as PromptedTemplate;
  const asking = { template: none, asker: actor, visible };
  Object.assign(errors, await missingRecords(db, common, given, asking));
  if (Object.keys(errors).length) throw new ValidationError(errors);
  const lacked = await lackedRight(db, actor, common, { ...asking, accepted: given });
  if (lacked) throw refused(lacked);
  return given;
}

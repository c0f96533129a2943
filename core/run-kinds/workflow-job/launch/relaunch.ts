import { type Action, ApiError, field, notFound, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { promptsOf } from '../../../runs/prompts/prompts.ts';
import { type LaunchedRun, secretAnswers } from '../../../runs/prompts/secret-answers.ts';
import { assertPromptsStillAsked } from '../../../runs/prompts/still-asked.ts';
import type { LaunchRequest } from '../../../runs/start.ts';
import { isActive } from '../../../runs/states.ts';
import { launchReply } from '../../../runs/templates/reply.ts';
import type { WorkflowServices } from '../services.ts';
import { hasFailed } from './carry-forward.ts';

/** contract B8: the workflow as it is now with the prompts of the first launch; without a template the nodes as they were. */
export const relaunchAction = (services: WorkflowServices, rules: { see: Rule; relaunch: Rule }): Action => ({
  access: { GET: rules.see, POST: rules.relaunch },
  summary: 'Launch it again',
  fields: {
    nodes: field.choice(['all', 'failed'], {
      default: 'all',
      help: 'Run all nodes again, or those that failed and what follows them.',
    }),
  },
  answers: {
    GET: { schema: { type: 'object' } },
    POST: { status: 201, type: 'workflow_job', fields: { workflow_job: field.integer() } },
  },
  launches: 201,
  async handler(call, row) {
    if (call.method === 'GET') return { status: 200, body: {} };
    const run: LaunchedRun | undefined = await services.db('runs').where({ id: row.id }).first();
    if (!run) throw notFound();
    const resumes = call.body['nodes'] === 'failed' ? await resumed(services, run) : undefined;
    const orphan = run.template_id === null;
    const kind = await kindOf(services, run);
    const request: LaunchRequest = {
      kind,
      template: run.template_id,
      ...(orphan ? { again: run.id } : {}),
      prompts: orphan ? {} : { ...run.prompts },
      secretVariables: secretAnswers(services.keyRing, call.actor, run),
      honourPrompts: true,
      organizationId: run.organization_id,
      actor: call.actor,
      authority: call.actor,
      waiting: true,
      origin: { kind: 'relaunch', id: run.id, client_ip: call.ip },
      columns: {
        ...(resumes === undefined ? {} : { resumes }),
        ...(orphan ? { prompts: JSON.stringify(run.prompts) } : {}),
      },
    };
    const { db, kinds, launch } = services;
    if (!orphan) await assertPromptsStillAsked(db, call.actor, promptsOf(kinds.of(kind).prompts), run);
    if (run['is_sliced_job']) await assertSameSlices(services, run, request);
    const { run: again } = await launch.start(request);
    return launchReply(call, again, { status: 201, name: again.kind });
  },
});

async function resumed({ db }: WorkflowServices, run: LaunchedRun): Promise<number> {
  if (run['is_sliced_job'])
    throw new ApiError(400, { nodes: ['Slices are run again all together, or each by itself.'] });
  if (isActive(run.status)) throw new ApiError(400, { nodes: [`The workflow job, now ${run.status}, has not ended.`] });
  // one that was canceled while no node was under way has nodes that were left out, and are reached again
  if (run.status !== 'canceled' && !(await hasFailed(db, run.id)))
    throw new ApiError(400, { nodes: ['No node of the workflow job failed.'] });
  return run.id;
}

/** Slices are cut anew, from a launch of what they are slices of. */
async function kindOf({ db, kinds }: WorkflowServices, run: LaunchedRun): Promise<string> {
  if (!run['is_sliced_job']) return run.kind;
  const template = run.template_id === null ? undefined : await kindOfTemplate(db, run.template_id);
  const kind = template && kinds.ofTemplate(template);
  if (!kind) throw new ApiError(400, 'The template that was cut into slices is gone.');
  return kind.kind;
}

const kindOfTemplate = async (db: Knex, id: number): Promise<string | undefined> =>
  (await db('templates').where({ id }).first('kind'))?.kind;

/** As many as there were: whoever wants others launches the template. What else is wrong with it the launch tells. */
async function assertSameSlices(
  { db, kinds }: WorkflowServices,
  run: LaunchedRun,
  request: LaunchRequest,
): Promise<void> {
  const { slices: now = 1, errors = {} } = await kinds.of(request.kind!).plan({ ...request, db });
  const { job_slice_count: _uncut, ...others } = errors;
  const [{ count }] = (await db('workflow_job_nodes').where({ run_id: run.id }).count()) as [{ count: string }];
  if (Number(count) === now || Object.keys(others).length) return;
  throw new ApiError(400, `It was cut into ${count} slices and would be cut into ${now} now: launch the template.`);
}

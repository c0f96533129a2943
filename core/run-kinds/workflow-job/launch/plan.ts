import type { PlanRequest, RunPlan, RunRow } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { assertMayUse, missingRecords } from '../../../runs/prompts/named.ts';
import type { PromptValues } from '../../../runs/prompts/prompt.ts';
import { notAsked } from '../../../runs/prompts/not-asked.ts';
import { readLaunchBody } from '../../../runs/prompts/read.ts';
import { secretNames, storedPrompts } from '../../../runs/prompts/secret-answers.ts';
import { sortPrompts } from '../../../runs/prompts/sort.ts';
import { hideVariables } from '../../../secrets/secret-variables.ts';
import { answersOfLaunch } from '../../../runs/prompts/survey-answers.ts';
import { shownSurvey } from '../../../surveys/defaults.ts';
import { askedBy } from '../../../surveys/survey.ts';
import { mergeVariables, type Variables } from '../../../yaml/variables.ts';
import { type Bulk, planBulk } from '../bulk/plan-bulk.ts';
import { handedOn, workflowPrompts } from '../prompts.ts';
import type { WorkflowServices } from '../services.ts';
import { carryForward } from './carry-forward.ts';
import { nodesOfRun } from './copy-nodes.ts';
import { loadInventory, loadWorkflow, nodesForTaps, type StoredWorkflow } from './load.ts';

/** What a launch brings that is no column: the run whose failed nodes are run again. */
interface Given {
  resumes?: number;
  /** in the place of a template */
  bulk?: Bulk;
  [column: string]: unknown;
}

/** contract B5: what a launch of a workflow would run, or everything that is wrong with it. */
export async function planWorkflow(services: WorkflowServices, asked: PlanRequest): Promise<RunPlan> {
  const { db, authority, organizationId } = asked;
  const { bulk } = (asked.columns ?? {}) as Given;
  if (bulk) return planBulk(services, bulk);
  const template = await loadWorkflow(asked);
  const request = withinItsPrompts(asked, template);
  const { given, errors } = await readLaunchBody(workflowPrompts, request.prompts, services.settings);
  const asking = { template, asker: organizationId === undefined ? authority : null, visible: services.visible };
  Object.assign(errors, await missingRecords(db, workflowPrompts, given, asking));
  const shown = template.id === null ? null : await publicTemplate(template, request);
  if (Object.keys(errors).length) return { ...columnsOf(template, {}, {}, request), errors, template: shown };

  const survey = answersOfLaunch(services.keyRing, template, given, request);
  const sorted = sortPrompts(workflowPrompts, { ...given, extra_vars: survey.rest }, template);
  const { accepted } = sorted;
  if (Object.keys(survey.answers).length)
    accepted.extra_vars = mergeVariables(accepted.extra_vars ?? {}, survey.answers);
  if (authority) await assertMayUse(db, authority, workflowPrompts, { ...asking, accepted, organizationId });
  const inventory = accepted.inventory === undefined ? template.inventory : await loadInventory(db, accepted.inventory);
  return {
    ...columnsOf(template, accepted, survey.defaults, request),
    errors: {
      ...(survey.problems.length ? { variables_needed_to_start: survey.problems } : {}),
      ...((await isWithinItself(db, request)) ? { recursion: ['The workflow would run within itself.'] } : {}),
      // who launches by hand is told; others keep what they have saved, and it does not count
      ...(request.origin.kind === 'api' && !request.saved ? notAsked(sorted.ignored) : {}),
      ...(inventory?.pending_deletion ? { inventory: ['The inventory is being deleted.'] } : {}),
    },
    ignored: sorted.ignored,
    locks: locksOf(template),
    template: shown,
    uses: { organization: template.organization, inventory: inventory && { id: inventory.id, name: inventory.name } },
    write: (trx, run) => writeNodes(trx, services, run, request),
  };
}

/** A workflow within another takes of what that hands on only what it asks for, as of any caller. */
function withinItsPrompts(request: PlanRequest, template: StoredWorkflow): PlanRequest {
  if (request.origin.kind !== 'workflow' || template['ask_variables_on_launch']) return request;
  const asked = new Set(askedBy(template).map(({ variable }) => variable));
  const taken = (variables: Readonly<Variables> = {}) =>
    Object.fromEntries(Object.entries(variables).filter(([name]) => asked.has(name)));
  return { ...request, variables: taken(request.variables), secretVariables: taken(request.secretVariables) };
}

/** Whether a run that is launched by a node stands below a run of its own template. */
async function isWithinItself(db: Knex, { origin, template }: PlanRequest): Promise<boolean> {
  if (origin.kind !== 'workflow' || template === null || origin.id === null) return false;
  const { rows } = await db.raw(
    `with recursive above as (
       select id, parent_id, template_id from runs where id = ?
       union select r.id, r.parent_id, r.template_id from runs r join above a on r.id = a.parent_id
     ) select exists (select from above where template_id = ?) as is_above`,
    [origin.id, template],
  );
  return rows[0].is_above;
}

function columnsOf(
  template: StoredWorkflow,
  accepted: PromptValues,
  defaults: Variables,
  { variables = {}, secretVariables = {}, columns = {} }: PlanRequest,
): Pick<RunPlan, 'columns' | 'secretVariables'> {
  const { resumes: _run, ...given } = columns as Given;
  const named = mergeVariables(accepted.extra_vars ?? {}, variables, secretVariables);
  const secret = secretNames(template, secretVariables);
  const { shown, hidden } = hideVariables(mergeVariables(template.variables, defaults, named), secret);
  const labels = [...template.labels.map(({ id }) => id), ...(accepted.labels ?? [])];
  const values = handedOn.map((name) => {
    const column = name === 'inventory' ? 'inventory_id' : name;
    return [column, accepted[name] ?? template[column] ?? null] as const;
  });
  return {
    columns: {
      template_id: template.id,
      name: template.name,
      description: template['description'],
      organization_id: template['organization_id'],
      allow_simultaneous: template['allow_simultaneous'],
      ...Object.fromEntries(values),
      extra_vars: JSON.stringify(shown),
      prompts: JSON.stringify(storedPrompts(accepted, hideVariables(named, secret))),
      ...(labels.length ? { label_ids: [...new Set(labels)] } : {}),
      ...given,
    },
    secretVariables: hidden,
  };
}

/** contract/jobs.md §11.4 */
function locksOf({ id, allow_simultaneous: simultaneous }: StoredWorkflow): RunPlan['locks'] {
  const line = id === null ? [] : [`template:${id}`];
  return { holds: line, waitsFor: simultaneous ? [] : line };
}

/** With the nodes as they will be. */
async function publicTemplate(
  { variables: _read, webhook_key: _key, project: _none, ...template }: StoredWorkflow,
  { db, columns = {} }: PlanRequest,
): Promise<RunPlan['template']> {
  const { resumes } = columns as Given;
  return {
    ...template,
    survey_spec: shownSurvey(template['survey_spec']),
    nodes: await nodesForTaps(db, resumes === undefined ? { template: template.id } : { run: resumes }),
  } as RunPlan['template'];
}

/** The nodes stand with the run from the first moment, and are those of its template at that moment. */
async function writeNodes(
  trx: Knex,
  { keyRing }: WorkflowServices,
  run: RunRow,
  { template, again, columns = {} }: PlanRequest,
): Promise<void> {
  const { resumes } = columns as Given;
  const repeated = resumes ?? (template === null ? again : undefined);
  await nodesOfRun(trx, keyRing, run, repeated === undefined ? { template: template! } : { run: repeated });
  if (resumes !== undefined) await carryForward(trx, run.id, resumes);
}

import { notFound, type PlanRequest, type RunPlan } from '@tapline/plugin-sdk';
import type { Catalog } from '../../../descriptors/compile.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import type { Settings } from '../../../settings/settings.ts';
import type { Visible } from '../../../runs/access.ts';
import { assertMayUse, missingRecords } from '../../../runs/prompts/named.ts';
import type { PromptValues } from '../../../runs/prompts/prompt.ts';
import { readLaunchBody } from '../../../runs/prompts/read.ts';
import { sortPrompts } from '../../../runs/prompts/sort.ts';
import { answersOfLaunch } from '../../../runs/prompts/survey-answers.ts';
import { shownSurvey } from '../../../surveys/defaults.ts';
import { mergeVariables, storedVariables } from '../../../yaml/variables.ts';
import { credentialProblems, effectiveCredentials } from './credential-slots.ts';
import { jobColumns } from './job-columns.ts';
import { launchRecord } from './launch-record.ts';
import { loadCredentials, loadInventory, loadOrphan, loadTemplate, type LaunchTemplate } from './load.ts';
import { allPasswordsNeeded, type LaunchCredential } from './passwords.ts';
import { jobPrompts } from './prompts.ts';
import { resourceProblems } from './resource-problems.ts';
import { slicesOf } from './slices.ts';

export interface PlanDeps {
  keyRing: Pick<KeyRing, 'decrypt'>;
  settings: Settings;
  visible: Visible;
  readonly catalog?: Catalog;
}

/** contract/jobs.md §4.3: what a launch of a job template would run, or everything that is wrong with it. */
export async function planJob(deps: PlanDeps, request: PlanRequest): Promise<RunPlan> {
  const { keyRing, settings, visible, catalog } = deps;
  const { db, authority, organizationId } = request;
  const template = await templateOf(request);
  const { given, passwords, errors } = await readLaunchBody(jobPrompts, request.prompts, settings);
  const asking = { template, asker: organizationId === undefined ? authority : null, visible };
  Object.assign(errors, await missingRecords(db, jobPrompts, given, asking));
  const stored = request.template === null ? null : publicTemplate(template);
  if (Object.keys(errors).length) {
    const { shown: _shown, ...nothing } = jobColumns(template, { accepted: {}, given: request });
    return { ...nothing, errors, template: stored };
  }

  const named = await loadCredentials(db, given.credentials ?? []);
  if (request.saved && given.credentials)
    given.credentials = effectiveCredentials(template.credentials, named).map(({ id }) => id);
  const survey = answersOfLaunch(keyRing, template, given, request);
  const { accepted, ignored } = sortPrompts(jobPrompts, { ...given, extra_vars: survey.rest }, template);
  if (Object.keys(survey.answers).length)
    accepted.extra_vars = mergeVariables(accepted.extra_vars ?? {}, survey.answers);
  if (authority) await assertMayUse(db, authority, jobPrompts, { ...asking, accepted, organizationId });
  const inventory = accepted.inventory === undefined ? template.inventory : await loadInventory(db, accepted.inventory);
  const credentials = accepted.credentials ? effectiveCredentials(template.credentials, named) : template.credentials;
  const needed = allPasswordsNeeded(credentials, keyRing);
  const input = { accepted, defaults: survey.defaults, given: request };
  const { shown, ...made } = jobColumns(template, input);
  const answers = new Set(Object.keys(survey.answers));
  const slices = await slicesOf(db, template, { accepted, inventory, request, catalog });
  return {
    ...made,
    record: launchRecord({ ...input, template, answers, shown, inventory, credentials, columns: made.columns }),
    errors: {
      ...(survey.problems.length ? { variables_needed_to_start: survey.problems } : {}),
      ...resourceProblems(template, accepted, { inventory, ahead: request.ahead, slices }),
      ...problemsOf(given, template, named, request, keyRing),
      ...(request.ahead && template['ask_credential_on_launch'] ? {} : missingPasswords(needed, passwords)),
    },
    ignored,
    credentials: credentials.map(({ id }) => id),
    passwords: Object.fromEntries(Object.entries(passwords).filter(([name]) => needed.includes(name))),
    locks: locksOf(made.columns, template, inventory),
    slices,
    updatesFirst: updatesFirst(template, inventory),
    template: stored,
    uses: usesOf(template, inventory, credentials),
  };
}

const usesOf = (
  { organization, project }: LaunchTemplate,
  inventory: LaunchTemplate['inventory'],
  credentials: readonly LaunchCredential[],
): RunPlan['uses'] => ({
  organization,
  project: project && { id: project.id, name: project.name },
  inventory: inventory && { id: inventory.id, name: inventory.name },
  credentials: credentials.map(({ id, name, type }) => ({ id, name, kind: type.namespace ?? type.kind })),
});

/** The template as it is asked: a relaunch honours every prompt that was accepted once. */
async function templateOf({ db, template: id, again, honourPrompts }: PlanRequest): Promise<LaunchTemplate> {
  const loaded = id === null ? await loadOrphan(db, again!) : await loadTemplate(db, id);
  if (!loaded) throw notFound('No JobTemplate matches the given query.');
  const flags = honourPrompts ? Object.fromEntries(jobPrompts.map(({ flag }) => [flag, true])) : {};
  return { ...loaded, ...flags, variables: await storedVariables(loaded['extra_vars'] ?? '') };
}

/** Checked even where the prompt is off. */
function problemsOf(
  given: PromptValues,
  { credentials: own }: LaunchTemplate,
  named: readonly LaunchCredential[],
  { saved, ahead }: PlanRequest,
  keyRing: PlanDeps['keyRing'],
) {
  if (!given.credentials) return {};
  const asking = ahead ? named.filter((one) => allPasswordsNeeded([one], keyRing).length) : [];
  const problems = [
    ...credentialProblems(saved ? [] : own, named),
    ...asking.map(({ name }) => `Credential "${name}" asks for input at launch, when nobody is there to give it.`),
  ];
  return problems.length ? { credentials: problems } : {};
}

function missingPasswords(needed: readonly string[], passwords: Record<string, string>) {
  const missing = needed.filter((name) => !passwords[name]);
  return missing.length ? { passwords_needed_to_start: missing } : {};
}

/** contract/jobs.md §11.4 */
function locksOf(
  { allow_simultaneous: simultaneous }: RunPlan['columns'],
  { id, project }: LaunchTemplate,
  inventory: LaunchTemplate['inventory'],
) {
  const line = id === null ? [] : [`template:${id}`];
  const inventories = inventory ? [inventory.id, ...inventory.shows] : [];
  const upkeep = [...(project ? [`project:${project.id}`] : []), ...inventories.map((one) => `inventory:${one}`)];
  return { holds: line, waitsFor: [...(simultaneous ? [] : line), ...upkeep] };
}

const updatesFirst = ({ project }: LaunchTemplate, inventory: LaunchTemplate['inventory']): number[] => [
  ...(project?.scm_type && project.scm_update_on_launch ? [project.id] : []),
  ...(inventory?.updated_first ?? []),
];

/** Of credentials and passwords taps learn which, not what is in them. */
function publicTemplate({ variables: _read, webhook_key: _key, ...template }: LaunchTemplate): RunPlan['template'] {
  const credentials = template.credentials.map(({ id, name, type }) => ({ id, name, type }));
  return { ...template, credentials, survey_spec: shownSurvey(template['survey_spec']) };
}

import type { LaunchCredential } from './passwords.ts';
import { slotOf } from './passwords.ts';
import type { LaunchProject, LaunchTemplate } from './load.ts';
import { prompts } from './prompt-types.ts';
import { sameValue, type Variables } from './variables.ts';

export interface Sorted {
  accepted: Record<string, any>;
  /** what the template does not ask for; answered to the caller, never an error */
  ignored: Record<string, any>;
}

export interface SortContext {
  template: LaunchTemplate;
  /** the template's own */
  variables: Variables;
  /** the credentials that the caller named */
  credentials: readonly LaunchCredential[];
}

/** Step 3 of a launch: each prompt is a no-op, accepted or ignored (contract/jobs.md §4.3). */
export function sortPrompts(given: Record<string, any>, context: SortContext): Sorted {
  const sorted: Sorted = { accepted: {}, ignored: {} };
  for (const { key, flag } of prompts) {
    if (!Object.hasOwn(given, key)) continue;
    const asked = Boolean(context.template[flag]);
    if (key === 'extra_vars') sortVariables(given[key], asked, context, sorted);
    else if (key === 'credentials') sortCredentials(given[key], asked, context, sorted);
    else if (!sameValue(given[key], ownValue(key, context.template)))
      (asked ? sorted.accepted : sorted.ignored)[key] = given[key];
  }
  return sorted;
}

function ownValue(key: string, template: LaunchTemplate): unknown {
  if (key === 'inventory') return template['inventory_id'];
  if (key === 'scm_branch') return template['scm_branch'] || template.project?.scm_branch || '';
  if (key === 'labels' || key === 'instance_groups') return [];
  return template[key] ?? null;
}

function sortVariables(
  variables: Variables,
  asked: boolean,
  { variables: own }: SortContext,
  { accepted, ignored }: Sorted,
): void {
  // the web client sends the template's own values back with every launch
  const changed = Object.entries(variables).filter(
    ([key, value]) => !(Object.hasOwn(own, key) && sameValue(own[key], value)),
  );
  if (changed.length) (asked ? accepted : ignored)['extra_vars'] = Object.fromEntries(changed);
}

function sortCredentials(
  ids: number[],
  asked: boolean,
  { template }: SortContext,
  { accepted, ignored }: Sorted,
): void {
  const own = new Set(template.credentials.map((credential) => credential.id));
  const added = ids.filter((id) => !own.has(id));
  if (!added.length && ids.length === own.size) return;
  if (asked) accepted['credentials'] = ids;
  else if (added.length) ignored['credentials'] = added;
}

/** The template's credentials, those replaced left out whose slot a given one takes. */
export function effectiveCredentials(
  own: readonly LaunchCredential[],
  given: readonly LaunchCredential[],
): LaunchCredential[] {
  const taken = new Set(given.map(slotOf));
  const ids = new Set(given.map((credential) => credential.id));
  return [...own.filter((credential) => !taken.has(slotOf(credential)) && !ids.has(credential.id)), ...given];
}

const USABLE_KINDS = new Set(['ssh', 'vault', 'cloud', 'net', 'kubernetes']);

/** Step 9, checked even where the prompt is off. */
export function credentialProblems(own: readonly LaunchCredential[], given: readonly LaunchCredential[]): string[] {
  const problems: string[] = [];
  const slots = new Map<string, LaunchCredential>();
  for (const credential of given) {
    if (!USABLE_KINDS.has(credential.type.kind))
      problems.push(`Credential "${credential.name}" of kind ${credential.type.kind} cannot be used by a job.`);
    const other = slots.get(slotOf(credential));
    if (other)
      problems.push(
        `Cannot assign several ${credential.type.name} credentials: "${other.name}" and "${credential.name}".`,
      );
    slots.set(slotOf(credential), credential);
  }
  const missing = own.filter((credential) => !slots.has(slotOf(credential)));
  if (missing.length) {
    problems.push(
      `Credentials of the template may be replaced by others of their type but not left out; the list lacks ${missing.map((c) => `"${c.name}"`).join(', ')}.`,
    );
  }
  return problems;
}

/** Steps 5 to 8: what must be there before anything can start. */
export function resourceProblems(
  template: LaunchTemplate,
  accepted: Record<string, any>,
  inventory: LaunchTemplate['inventory'],
): Record<string, unknown> {
  const errors: Record<string, unknown> = {};
  const missing = [
    ...(template.project ? [] : ['The template has no project.']),
    ...(inventory ? [] : ['The template has no inventory and none was given.']),
  ];
  if (missing.length) errors['resources_needed_to_start'] = missing;
  if (!template.project) errors['project'] = ['A project is required to run a job.'];
  else if (unusable(template.project))
    errors['playbook'] = [
      `Project "${template.project.name}" has no usable revision: its last update ended ${template.project.status}.`,
    ];
  if (inventory?.pending_deletion) errors['inventory'] = ['The inventory is being deleted.'];
  if (accepted['scm_branch'] !== undefined && template.project && !template.project.allow_override) {
    errors['scm_branch'] = ['The project does not allow another branch.'];
  }
  if (Number(accepted['job_slice_count'] ?? 1) > 1)
    errors['job_slice_count'] = ['The inventory cannot be cut into more than one slice.'];
  return errors;
}

const unusable = (project: LaunchProject) =>
  ['failed', 'error'].includes(project.status) &&
  !project.scm_update_on_launch &&
  !project.scm_revision &&
  project.scm_type !== '';

import type { Resource, Rule, RunKind } from '@tapline/plugin-sdk';
import { allOf, anyOf, type CoreRule, columnIs, owner, superuser, via } from '../rbac/rules.ts';
import type { RunKinds } from '../runs/kinds.ts';

const templatesOf = (kinds: RunKinds): Resource[] =>
  kinds.all().flatMap(({ template, resources = [] }: RunKind) => resources.filter(({ type }) => type === template));

/** Who may launch a template of this kind by hand. */
const launchRule = ({ actions = {} }: Resource): Rule =>
  actions['launch']?.access.POST ?? actions['update']?.access.POST ?? superuser;

const ofKinds = (kinds: RunKinds, rule: (resource: Resource) => Rule): CoreRule =>
  anyOf(...templatesOf(kinds).map((resource) => allOf(columnIs('kind', resource.type), rule(resource))));

const onTemplate = (rule: Rule) => via('unified_job_template_id', 'templates', rule);

/** On a template of whatever kind: to launch it. */
export const launchesTemplate = (kinds: RunKinds): CoreRule => ofKinds(kinds, launchRule);

/** contract A, section 7: whoever may launch a template schedules it, and keeps its own schedules; who changes it keeps all. */
export function scheduleRules(kinds: RunKinds): { create: CoreRule; change: CoreRule } {
  const launches = onTemplate(launchesTemplate(kinds));
  const changes = onTemplate(ofKinds(kinds, ({ access }) => access.change ?? superuser));
  return { create: launches, change: anyOf(changes, allOf(owner('created_by_id'), launches)) };
}

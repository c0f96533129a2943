import { type Call, inTime, type PluginApi } from '@tapline/plugin-sdk';
import type { Inputs } from './inputs.ts';
import { type Finding, type Recommendation, type Rule, severities } from './rule.ts';
import { recommendationRule } from './rule-point.ts';
import type { QueriedScope } from './scopes.ts';
import { namesTenantsToAll } from './settings.ts';

interface Evaluation {
  inputs: Inputs;
  scope: QueriedScope;
  /** who asks; may decide whether an object is named, never what is recommended */
  call?: Call;
}

/** Every rule that triggers: critical, then warn, then info; within a severity in the order of registration. */
export function recommend(
  api: PluginApi,
  { inputs, scope, call }: Evaluation,
): Promise<{ count: number; results: Recommendation[] }> {
  return api.tracer.span('recommendations.evaluate', async (span) => {
    const rules = api.use(recommendationRule).filter((rule) => scope === 'all' || rule.scope === scope);
    const triggered = await triggeredBy(api, rules, inputs);
    const results = await Promise.all(triggered.map(([rule, finding]) => represent(api, rule, finding, call)));
    span.set({ scope, count: results.length });
    return { count: results.length, results };
  });
}

/** Tenants are organizations. */
const tenant = 'organization';

/** Rules of other plugins may be slow: one that takes longer is left out like one that throws. */
const ruleLimitMs = 1_000;
const late = () => new Error(`no answer within ${ruleLimitMs} ms`);

async function triggeredBy(api: PluginApi, rules: readonly Rule[], inputs: Inputs): Promise<[Rule, Finding][]> {
  const findings = await Promise.all(rules.map((rule) => findingOf(api, rule, inputs)));
  const found = rules.flatMap((rule, index): [Rule, Finding][] => {
    const finding = findings[index];
    return finding ? [[rule, finding]] : [];
  });
  return severities.flatMap((severity) => found.filter(([rule]) => rule.severity === severity));
}

async function findingOf(api: PluginApi, rule: Rule, inputs: Inputs): Promise<Finding | undefined> {
  try {
    const finding = await inTime(() => rule.evaluate(inputs), { ms: ruleLimitMs, late });
    if (finding === undefined || typeof finding?.why === 'string') return finding;
    throw new Error('a rule returns { why } or nothing');
  } catch (err) {
    api.log.debug({ err, rule: rule.id }, 'a recommendation rule failed and was left out');
    return undefined;
  }
}

async function represent(api: PluginApi, rule: Rule, finding: Finding, call?: Call): Promise<Recommendation> {
  const { id, scope, severity, title, action_link } = rule;
  const named = call && (await namedFor(api, finding, call).catch((err: unknown) => noNames(api, id, err)));
  return { id, scope, severity, title, why: named ?? finding.why, action_link };
}

/** What it names may be nonsense: then the sentence without names is told. */
function noNames(api: PluginApi, rule: string, err: unknown): undefined {
  api.log.debug({ err, rule }, 'what a recommendation rule names could not be looked up');
}

/** The sentence that names the first object which the caller may see; names of tenants are everybody's unless a setting says no. */
async function namedFor(api: PluginApi, { named = [] }: Finding, call: Call): Promise<string | undefined> {
  for (const type of new Set(named.map((item) => item.type))) {
    const items = named.filter((item) => item.type === type);
    if (type === tenant && namesTenantsToAll(api)) return items[0]!.why;
    const visible = await call.visible(
      type,
      items.map(({ id }) => id),
    );
    const first = items.find(({ id }) => visible.has(id));
    if (first) return first.why;
  }
  return undefined;
}

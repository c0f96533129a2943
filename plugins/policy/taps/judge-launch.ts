import { type Denial, type Launch, type PluginApi, stages } from '@tapline/plugin-sdk';
import { contextOf, resourceTypeOf } from '../context.ts';
import { type Evaluate, type Hit, judge } from '../judge.ts';
import { keepContext } from '../keep-contexts.ts';
import type { NoteEvaluated } from '../note-evaluated.ts';
import { selectPolicies } from '../select-policies.ts';
import { engineSettings } from '../settings.ts';
import { storeDecisions } from '../store-decisions.ts';
import { type WaivableHit, waive } from '../waive.ts';

// the engine's own limit ends an evaluation; this is only against what nobody thought of
const timeoutMs = 90_000;

/** Between the creation of a run and its start, on every path of launch (specification, "Launch-time policy evaluation"). */
export function judgeLaunch(api: PluginApi, evaluate: Evaluate, noteEvaluated: NoteEvaluated): void {
  const options = {
    name: 'judge-launch',
    stage: stages.policy,
    failMode: 'deny',
    preview: true,
    timeoutMs,
    asleep: () => !engineSettings(api).enabled,
  } as const;
  api.hooks.beforeStart(options, async (launch) => {
    if (!engineSettings(api).enabled) return undefined;
    const type = resourceTypeOf(launch);
    const selected = type && (await selectPolicies(api, launch, type));
    if (!selected) return undefined;
    const { policies, mode } = selected;
    const now = api.clock.now();
    const context = contextOf(launch, type, selected, { now, mask: api.settings.get('POLICY_MASK_SECRETS', true) });
    const hits = await waive(api, launch, { hits: await judge(api, evaluate, { policies, mode, context }), now });
    const stored = launch.preview
      ? hits.map((hit) => ({ ...hit, id: null }))
      : await storeDecisions(api, launch, { hits, context });
    if (!launch.preview) {
      noteEvaluated(policies, now);
      await keepContext(api, launch, context);
    }
    const effective = stored.filter(({ policy }) => !policy.shadow);
    const denying = effective.filter(({ decision, waiver }) => decision === 'deny' && !waiver);
    if (denying.length) return denialOf(denying);
    explain(launch, effective);
    return undefined;
  });
}

function explain(launch: Launch, effective: readonly WaivableHit[]): void {
  const warnings = effective.filter(({ decision }) => decision === 'warn');
  const messages = new Set(warnings.flatMap((hit) => hit.messages));
  if (messages.size) launch.explain(`Policy warnings: ${[...messages].join('; ')}`);
  const waived = effective.flatMap(({ policy, waiver }) =>
    waiver ? [`${policy.name}, until ${waiver.expires}: ${waiver.reason}`] : [],
  );
  if (waived.length) launch.explain(`Policy denials waived: ${waived.join('; ')}`);
}

/** So that the body stays within what a denial may hold. */
const mostReasons = 50;

const denialOf = (denying: readonly (Hit & { id: number | null })[]): Denial => ({
  status: 403,
  body: {
    detail: 'Policy denied launch.',
    reasons: [...new Set(denying.flatMap(({ messages }) => messages))].slice(0, mostReasons),
    policies: denying.slice(0, mostReasons).map(({ policy: { id, name } }) => ({ id, name })),
    decisions: denying.flatMap(({ id }) => (id === null ? [] : [id])).slice(0, mostReasons),
  },
});

import { type Action, field, type PluginApi, type Rule } from '@tapline/plugin-sdk';
import type { Engine } from '../engine/client.ts';
import type { Policy } from '../policy.ts';
import { readResult, type Verdict } from '../shapes.ts';
import { withDraft } from '../try-module.ts';
import { readModule } from './read-module.ts';
import { asAnswer, assertEnabled } from './test-action.ts';

interface Kept {
  unified_job_id: number | null;
  context: unknown;
  created: string;
}

const answer = {
  count: field.integer({ help: 'launches that it was tried on' }),
  allowed: field.integer(),
  warned: field.integer(),
  denied: field.integer(),
  results: field.list({
    help: 'Those that it would warn of or deny: unified_job, created, resource_name, decision, messages.',
  }),
};
const atOnce = 10;

/** `backtest/`: what the policy, or a text that is not saved, would have said of the launches whose contexts are kept. */
export const backtestAction = (api: PluginApi, engine: Engine, rule: Rule): Action => ({
  summary: 'What the policy would have said of past launches',
  access: { POST: rule },
  fields: {
    limit: field.integer({ default: 100, min: 1, max: 1000, help: 'How many of the last launches.' }),
    rego_module: field.text({ help: 'A text to try in place of the one that is saved.' }),
  },
  answers: { POST: { fields: answer } },
  async handler({ body }, row) {
    assertEnabled(api);
    const policy = row as unknown as Policy;
    const { limit, rego_module: text } = body as { limit: number; rego_module?: string };
    const draft = text
      ? { rego_module: text, ...readModule({ rego_module: text, package_path: policy.package_path }, false) }
      : policy;
    const kept = await keptContexts(api, policy, limit);
    const verdicts = await asAnswer(() =>
      withDraft(engine, draft, (evaluate) => judgeAll(kept, policy.name, evaluate)),
    );
    const told = (decision: Verdict['decision']) => verdicts.filter((verdict) => verdict.decision === decision).length;
    const results = kept.flatMap(({ unified_job_id: job, created, context }, at) => {
      const { decision, deny, warn } = verdicts[at]!;
      const { resource_name: name } = context as { resource_name?: unknown };
      const shown = { unified_job: job, created, resource_name: name ?? '', decision, messages: [...deny, ...warn] };
      return decision === 'allow' ? [] : [shown];
    });
    const counts = { count: kept.length, allowed: told('allow'), warned: told('warn'), denied: told('deny') };
    return { status: 200, body: { ...counts, results } };
  },
});

/** Of its organization, or of all; newest first. */
function keptContexts(
  { db, table }: PluginApi,
  { organization_id: organization }: Policy,
  limit: number,
): Promise<Kept[]> {
  const query = db(table('contexts')).orderBy('id', 'desc').limit(limit).select('unified_job_id', 'context', 'created');
  return organization === null ? query : query.where({ organization_id: organization });
}

async function judgeAll(
  kept: readonly Kept[],
  name: string,
  evaluate: (input: unknown) => Promise<unknown>,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (let at = 0; at < kept.length; at += atOnce)
    // so many at once: launches want the engine as well
    // oxlint-disable-next-line no-await-in-loop
    verdicts.push(
      ...(await Promise.all(
        kept.slice(at, at + atOnce).map(async ({ context }) => readResult(await evaluate(context), name)),
      )),
    );
  return verdicts;
}

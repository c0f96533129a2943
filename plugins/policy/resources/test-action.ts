import { type Action, ApiError, field, type PluginApi, type Rule } from '@tapline/plugin-sdk';
import { type Engine, EngineError } from '../engine/client.ts';
import { evaluateWith } from '../judge.ts';
import type { Policy } from '../policy.ts';
import { engineSettings } from '../settings.ts';
import { readResult } from '../shapes.ts';
import { withDraft } from '../try-module.ts';
import { readModule } from './read-module.ts';

const answer = {
  decision: field.choice(['allow', 'warn', 'deny']),
  deny: field.list(),
  warn: field.list(),
  recognized: field.boolean({ help: 'false: a result of no known shape, which counts as allow' }),
  raw_result: field.json({ nullable: true, apiType: 'json' }),
  duration_ms: field.number(),
};

/** `test/`: what the policy says of an input, or a text that is not saved; nothing is recorded. */
export const testAction = (api: PluginApi, engine: Engine, rule: Rule): Action => ({
  summary: 'What the policy says of an input',
  access: { POST: rule },
  fields: {
    input: field.json({ required: true, help: 'The context of a launch, as decisions keep it.' }),
    rego_module: field.text({ help: 'A text to try in place of the one that is saved.' }),
  },
  answers: { POST: { fields: answer } },
  async handler({ body }, row) {
    assertEnabled(api);
    const policy = row as unknown as Policy;
    const { input, rego_module: text } = body as { input: unknown; rego_module?: string };
    const started = performance.now();
    const raw = await asAnswer(() =>
      text
        ? withDraft(engine, { rego_module: text, ...draftPath(policy, text) }, (evaluate) => evaluate(input))
        : evaluateWith(engine)(policy, input),
    );
    const { decision, deny, warn, recognized } = readResult(raw, policy.name);
    const duration = Math.round((performance.now() - started) * 1000) / 1000;
    return {
      status: 200,
      body: { decision, deny, warn, recognized, raw_result: raw ?? null, duration_ms: duration },
    };
  },
});

const draftPath = ({ package_path: path }: Policy, module: string) => {
  const { package_path: own } = readModule({ rego_module: module, package_path: path }, false);
  return { package_path: own };
};

export function assertEnabled(api: PluginApi): void {
  if (!engineSettings(api).enabled)
    throw new ApiError(503, 'The policy engine is switched off (POLICY_ENGINE_ENABLED).');
}

/** What the engine says of a module is the caller's to mend; all else is the engine's. */
export async function asAnswer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    if (error.status === 400) throw new ApiError(400, { rego_module: [error.message] });
    throw new ApiError(503, `The policy engine is unavailable: ${error.message}`);
  }
}

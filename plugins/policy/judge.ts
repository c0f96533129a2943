import type { PluginApi } from '@tapline/plugin-sdk';
import { type Engine, EngineError } from './engine/client.ts';
import type { LaunchContext } from './context.ts';
import { capped, type Mode, type Policy } from './policy.ts';
import { engineSettings } from './settings.ts';
import { readResult } from './shapes.ts';

/** What comes of one policy for one launch; a policy that lets it pass leaves none. */
export interface Hit {
  policy: Policy;
  decision: 'warn' | 'deny';
  messages: string[];
}

export const unavailable = {
  allow: 'Policy engine unavailable; launch allowed by fail mode.',
  deny: 'Policy engine unavailable; launch denied by fail mode.',
} as const;

/** Puts a module in place that the engine has lost, and evaluates it. @throws EngineError */
export type Evaluate = (policy: Policy, input: unknown) => Promise<unknown>;

/** A policy whose module the engine holds may be undefined for an input; one that was restarted holds none. */
export const evaluateWith =
  (engine: Engine): Evaluate =>
  async ({ id, package_path: path, rego_module: module }, input) => {
    const name = moduleName(id);
    const result = await engine.evaluate(path, input);
    if (result !== undefined || (await engine.held(name)) === module) return result;
    await engine.push(name, module);
    return engine.evaluate(path, input);
  };

export const moduleName = (policy: number): string => `policy_${policy}`;

/** All at once; what each of them says, within what the organization lets it do. */
export async function judge(
  api: Pick<PluginApi, 'settings' | 'tracer' | 'log'>,
  evaluate: Evaluate,
  asked: { policies: readonly Policy[]; mode: Mode; context: LaunchContext },
): Promise<Hit[]> {
  const { policies, mode, context } = asked;
  const { failMode } = engineSettings(api);
  const hits = await Promise.all(
    policies.map((policy) =>
      api.tracer.span('policy.evaluate', async (span) => {
        span.set({ policy: policy.id, resource_type: context.resource_type });
        const hit = await judgeOne(api, evaluate, { policy, mode, context, failMode });
        span.set({ decision: hit?.decision ?? 'allow' });
        return hit;
      }),
    ),
  );
  return hits.filter((hit) => hit !== undefined);
}

interface Asked {
  policy: Policy;
  mode: Mode;
  context: LaunchContext;
  failMode: 'allow' | 'deny';
}

async function judgeOne(
  { log }: Pick<PluginApi, 'log'>,
  evaluate: Evaluate,
  { policy, mode, context, failMode }: Asked,
): Promise<Hit | undefined> {
  // what is only tried shows what it would do
  const blocks = (policy.shadow ? policy.enforcement : capped(policy.enforcement, mode)) === 'enforce';
  try {
    const { decision, deny, warn } = readResult(await evaluate(policy, context), policy.name);
    if (decision === 'allow') return undefined;
    if (decision === 'warn') return { policy, decision, messages: warn };
    return { policy, decision: blocks ? 'deny' : 'warn', messages: deny };
  } catch (err) {
    if (!(err instanceof EngineError)) throw err;
    log.warn({ err, policy: policy.id }, 'a policy could not be evaluated');
    const denied = blocks && failMode === 'deny';
    return { policy, decision: denied ? 'deny' : 'warn', messages: [unavailable[denied ? 'deny' : 'allow']] };
  }
}

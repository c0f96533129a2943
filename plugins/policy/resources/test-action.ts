import { type Action, ApiError, authenticated, field, type PluginApi, type Rule } from '@tapline/plugin-sdk';
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

const input = field.json({ required: true, help: 'The context of a launch, as decisions keep it.' });

/** `N/test/`: what the policy says of an input, or a text that is not saved; nothing is recorded. */
export const testAction = (api: PluginApi, engine: Engine, rule: Rule): Action => ({
  summary: 'What the policy says of an input',
  access: { POST: rule },
  fields: {
    input,
    rego_module: field.text({ help: 'A text to try in place of the one that is saved.' }),
  },
  answers: { POST: { fields: answer } },
  async handler({ body }, row) {
    const policy = row as unknown as Policy;
    const { input: asked, rego_module: text } = body as { input: unknown; rego_module?: string };
    return tell(api, policy.name, () =>
      text
        ? withDraft(engine, { rego_module: text, ...draftPath(policy, text) }, (evaluate) => evaluate(asked))
        : evaluateWith(engine)(policy, asked),
    );
  },
});

/** `test/`: the same of a policy that is not there yet, for who may make it. */
export const testDraftAction = (api: PluginApi, engine: Engine, rule: Rule): Action => ({
  summary: 'What a policy that is not saved says of an input',
  access: { POST: authenticated },
  fields: {
    input,
    rego_module: field.text({ required: true, help: 'The text to try.' }),
    package_path: field.string({ default: '', help: 'As that of policies.' }),
    organization: field.ref('organization', { help: 'Whose it would be; empty: of all.' }),
  },
  answers: { POST: { fields: answer } },
  async handler({ actor, body }) {
    const { input: asked, organization = null, ...draft } = body as unknown as Draft;
    if (!(await rule.row(actor, { organization_id: organization }, api.db)))
      throw new ApiError(403, 'You do not have permission to perform this action.');
    const { package_path } = readModule(draft);
    const text = { rego_module: draft.rego_module, package_path };
    return tell(api, 'a draft', () => withDraft(engine, text, (evaluate) => evaluate(asked)));
  },
});

interface Draft {
  input: unknown;
  rego_module: string;
  package_path?: string;
  organization?: number | null;
}

async function tell(api: PluginApi, name: string, evaluate: () => Promise<unknown>) {
  assertEnabled(api);
  const started = performance.now();
  const raw = await asAnswer(evaluate);
  const { decision, deny, warn, recognized } = readResult(raw, name);
  const duration = Math.round((performance.now() - started) * 1000) / 1000;
  return {
    status: 200,
    body: { decision, deny, warn, recognized, raw_result: raw ?? null, duration_ms: duration },
  };
}

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

import type { PluginApi } from '@tapline/plugin-sdk';

const category = 'security';

export interface EngineSettings {
  enabled: boolean;
  /** without its final slash */
  url: string;
  timeoutMs: number;
  failMode: 'allow' | 'deny';
}

export function defineSettings({ settings }: Pick<PluginApi, 'settings'>): void {
  settings.define({
    key: 'POLICY_ENGINE_ENABLED',
    category,
    type: 'boolean',
    default: false,
    help: 'Ask the policy engine about every launch. While it is off policies are kept, and neither pushed nor asked.',
  });
  settings.define({
    key: 'POLICY_ENGINE_SERVER_URL',
    category,
    type: 'url',
    default: 'http://127.0.0.1:8181',
    help: 'Base address of the policy engine: Open Policy Agent 1.x, run as a server beside the service.',
  });
  settings.define({
    key: 'POLICY_ENGINE_EVALUATION_TIMEOUT_MS',
    category,
    type: 'integer',
    default: 2000,
    min: 10,
    max: 20_000,
    unit: 'milliseconds',
    help: 'How long one policy may take to be evaluated; after that it counts as unreachable.',
  });
  settings.define({
    key: 'POLICY_ENGINE_FAIL_MODE',
    category,
    type: 'choice',
    choices: ['allow', 'deny'],
    default: 'allow',
    help: 'What an engine that gives no answer means: allow lets launches go on and records a warning; deny blocks those that a policy is enforced for.',
  });
  defineContexts({ settings });
}

function defineContexts({ settings }: Pick<PluginApi, 'settings'>): void {
  settings.define({
    key: 'POLICY_CONTEXTS_KEPT_DAYS',
    category,
    type: 'integer',
    default: 0,
    min: 0,
    max: 3650,
    unit: 'days',
    help: 'How long the contexts of all launches that policies were asked about are kept, so that others can be tried on them (backtest). 0: none.',
  });
  settings.define({
    key: 'POLICY_MASK_SECRETS',
    category,
    type: 'boolean',
    default: true,
    help: 'Variables whose names sound like secrets are sent to the engine and stored as $encrypted$. Answers to password questions are masked in any case.',
  });
}

export function engineSettings({ settings }: Pick<PluginApi, 'settings'>): EngineSettings {
  return {
    enabled: settings.get('POLICY_ENGINE_ENABLED', false),
    url: withoutSlashes(settings.get('POLICY_ENGINE_SERVER_URL', '')),
    timeoutMs: settings.get('POLICY_ENGINE_EVALUATION_TIMEOUT_MS', 2000),
    failMode: settings.get('POLICY_ENGINE_FAIL_MODE', 'allow') === 'deny' ? 'deny' : 'allow',
  };
}

/** Of its end; a pattern would look for it from each of many slashes. */
function withoutSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  return url.slice(0, end);
}

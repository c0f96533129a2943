import { type Core, startCore } from '@tapline/plugin-sdk/testing';
import policy from '../index.ts';
import { type Opa, startOpa } from './opa.ts';

export interface PolicyStage extends Core {
  opa: Opa;
  template: any;
  /** the answer to a POST that has to be made */
  make(path: string, body: object): Promise<any>;
  /** a policy that says what the variable `result` of a launch holds */
  echo(columns?: object): Promise<any>;
  launch(variables?: object, template?: any): ReturnType<Core['admin']['post']>;
  set(settings: Record<string, unknown>): Promise<void>;
  enforce(mode: string): Promise<void>;
  decisions(query?: string): Promise<any[]>;
}

// the other settings are changed by tests, and what the environment says cannot be
const env = { LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent' };

/** The service beside a real engine; jobs are launched and not run. */
export async function startPolicyStage(): Promise<PolicyStage> {
  const opa = await startOpa();
  const core = await startCore({ plugins: [policy], env });
  const must = async (answer: Promise<any>, status: number) => {
    const given = await answer;
    if (given.status !== status) throw new Error(`${given.status} ${given.text}`);
    return given.body;
  };
  const make = (path: string, body: object) => must(core.admin.post(path, body), 201);
  const template = await core.makeTemplate({ ask_variables_on_launch: true, allow_simultaneous: true });
  const set = async (settings: object) => void (await must(core.admin.patch('settings/security/', settings), 200));
  await set({ POLICY_ENGINE_ENABLED: true, POLICY_ENGINE_SERVER_URL: opa.url });
  let made = 0;
  return {
    ...core,
    opa,
    template,
    make,
    echo: (columns = {}) => {
      const name = `echo_${++made}`;
      return make('policies/', { name, rego_module: `package ${name}\nimport rego.v1\n\n${echoes}`, ...columns });
    },
    launch: (variables = {}, launched = template) =>
      core.admin.post(`${launched.url}launch/`, { extra_vars: variables }),
    set,
    enforce: async (mode) => void (await must(core.admin.patch('organizations/1/', { policy_enforcement: mode }), 200)),
    decisions: async (query = '') =>
      (await must(core.admin.get(`policy_decisions/?page_size=200${query}`), 200)).results as any[],
    async stop() {
      await core.stop();
      await opa.stop();
    },
  };
}

const echoes = `deny contains msg if some msg in input.extra_vars.result.deny
warn contains msg if some msg in input.extra_vars.result.warn
`;

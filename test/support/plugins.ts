import { definePlugin, type Plugin, type PluginApi } from '@tapline/plugin-sdk';
import { type Given, startService, type TestService } from './service.ts';

export interface BootWith extends Given {
  /** as an operator would set it; no plugin is on unless TAPLINE_PLUGINS says so */
  env?: Record<string, string>;
}

/** The real core with these plugins, on a cloned database of its own unless one is given. */
export const bootWith = ({ env, ...given }: BootWith = {}): Promise<TestService> =>
  startService({ TAPLINE_PLUGINS: '', ...env }, given);

/** A plugin that does what the test says; the rest of its manifest is in order. */
export const testPlugin = (
  id: string,
  register: (api: PluginApi) => void = () => undefined,
  more: Partial<Plugin> = {},
): Plugin => definePlugin({ id, title: id, version: '1.0.0', sdk: '^1.0.0', register, ...more });

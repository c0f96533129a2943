import type { PluginApi } from '@tapline/plugin-sdk';

/** In the console: policies, what they said, and what they do not count for. */
export function definePages(api: PluginApi): void {
  const module = (file: string) => new URL(`./pages/${file}`, import.meta.url);
  api.page({ path: '/policies', title: 'Policies', module: module('policies.js'), nav: { order: 850 } });
  api.page({ path: '/policy_decisions', title: 'Decisions', module: module('decisions.js'), nav: { order: 851 } });
  api.page({ path: '/policy_waivers', title: 'Waivers', module: module('waivers.js') });
}

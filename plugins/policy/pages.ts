import type { PluginApi } from '@tapline/plugin-sdk';

/** In the console: policies, what they said, also on the page of the run that it was said of, and what they do not count for. */
export function definePages(api: PluginApi): void {
  const module = (file: string) => new URL(`./pages/${file}`, import.meta.url);
  api.page({ path: '/policies', title: 'Policies', module: module('policies.js'), nav: { order: 850 } });
  const said = { title: 'Policy decisions', export: 'RunDecisions', module: module('run-panel.js') };
  api.page({
    path: '/policy_decisions',
    title: 'Decisions',
    module: module('decisions.js'),
    nav: { order: 851 },
    panels: ['job', 'workflow_job', 'ad_hoc_command'].map((on) => ({ on, ...said })),
  });
  api.page({ path: '/policy_waivers', title: 'Waivers', module: module('waivers.js') });
}

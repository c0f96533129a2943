import type { PluginApi } from '@tapline/plugin-sdk';

/** In the console: scanners, what they found, also on the page of the run whose launch it was, and what does not count of it. */
export function definePages(api: PluginApi): void {
  const module = (file: string) => new URL(`./pages/${file}`, import.meta.url);
  api.page({ path: '/scanners', title: 'Scanners', module: module('scanners.js'), nav: { order: 860 } });
  const found = { title: 'Scan results', export: 'RunFindings', module: module('run-panel.js') };
  api.page({
    path: '/scan_results',
    title: 'Scan results',
    module: module('results.js'),
    nav: { order: 861 },
    panels: ['job', 'workflow_job'].map((on) => ({ on, ...found })),
  });
  api.page({ path: '/accepted_findings', title: 'Accepted findings', module: module('accepted.js') });
}

import type { PluginApi } from '@tapline/plugin-sdk';

/** In the console: pages of their own, and what is told of a host and of a group on theirs. */
export function definePages(api: PluginApi): void {
  const module = (file: string) => new URL(`./pages/${file}`, import.meta.url);
  api.page({
    path: '/drift',
    title: 'Drift',
    module: module('drift.js'),
    nav: { order: 350 },
    panels: [
      { on: 'host', title: 'Drift', export: 'HostDrift', module: module('host-panel.js') },
      { on: 'group', title: 'Outliers', export: 'GroupOutliers', module: module('group-panel.js') },
    ],
  });
}

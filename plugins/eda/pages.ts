import type { PluginApi } from '@tapline/plugin-sdk';

/** In the console: the rules, and what came in. */
export function definePages(api: PluginApi): void {
  const module = (file: string) => new URL(`./pages/${file}`, import.meta.url);
  api.page({ path: '/event_rules', title: 'Event rules', module: module('rules.js'), nav: { order: 810 } });
  api.page({ path: '/event_logs', title: 'Events', module: module('logs.js'), nav: { order: 811 } });
}

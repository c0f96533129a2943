import type {
  CronOptions,
  Extension,
  GuardedWrite,
  HealthReport,
  NavigationEntry,
  Pages,
  PluginRoute,
  SettingContribution,
  TaskContext,
  TaskOptions,
  WebsocketGroup,
} from '../api.ts';
import type { BeforeStartOptions, TapOptions } from '../hooks.ts';
import type { Resource, Rule } from '../resource.ts';

export type HookName = 'beforeStart' | 'onStatusChange' | 'afterFinish' | 'onFactsUpdated';

/** What a plugin contributed, as it said it. */
export interface Contributions {
  resources: Resource[];
  routes: PluginRoute[];
  pages: Pages[];
  extensions: { type: string; extension: Extension }[];
  permissions: { name: string; rule: Rule }[];
  settings: SettingContribution[];
  taps: {
    hook: HookName;
    options: TapOptions & Partial<Pick<BeforeStartOptions, 'failMode'>>;
    run: (...given: any[]) => any;
  }[];
  tasks: { name: string; options: TaskOptions<any>; run: (payload: any, context: TaskContext) => Promise<void> }[];
  crons: CronOptions<any>[];
  groups: WebsocketGroup[];
  health: (() => HealthReport | Promise<HealthReport>)[];
  navigation: NavigationEntry[];
  insights: { name: string; read: () => unknown }[];
  offers: { point: string; implementation: object }[];
  guards: { resource: string; operation: string; run: (write: GuardedWrite) => unknown }[];
  restrictions: { resource: string; restriction: Pick<Rule, 'row' | 'query'> }[];
  starts: (() => unknown)[];
  stops: (() => unknown)[];
}

export const noContributions = (): Contributions => ({
  resources: [],
  routes: [],
  pages: [],
  extensions: [],
  permissions: [],
  settings: [],
  taps: [],
  tasks: [],
  crons: [],
  groups: [],
  health: [],
  navigation: [],
  insights: [],
  offers: [],
  guards: [],
  restrictions: [],
  starts: [],
  stops: [],
});

import type {
  ConsolePage,
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
import type { BeforeStartOptions, OriginKind, TapOptions } from '../hooks.ts';
import type { Point } from '../points.ts';
import type { Resource, Rule } from '../resource.ts';
import type { RunKind, TemplateKind } from '../run-kind.ts';

export type HookName = 'beforeStart' | 'onStatusChange' | 'afterFinish' | 'onFactsUpdated';

/** What a plugin contributed, as it said it. */
export interface Contributions {
  resources: Resource[];
  routes: PluginRoute[];
  runKinds: RunKind[];
  templateKinds: TemplateKind[];
  origins: OriginKind[];
  pages: Pages[];
  consolePages: ConsolePage[];
  extensions: { type: string; extension: Extension }[];
  permissions: { name: string; rule: Rule }[];
  settings: SettingContribution[];
  taps: {
    hook: HookName;
    options: TapOptions & Partial<Pick<BeforeStartOptions, 'failMode'>>;
    run(...given: unknown[]): unknown;
  }[];
  tasks: { name: string; options: TaskOptions<unknown>; run(payload: unknown, context: TaskContext): Promise<void> }[];
  crons: CronOptions<unknown>[];
  groups: WebsocketGroup[];
  health: (() => HealthReport | Promise<HealthReport>)[];
  navigation: NavigationEntry[];
  insights: { name: string; read: () => unknown }[];
  points: Point<object>[];
  offers: { point: string; implementation: object }[];
  guards: { resource: string; operation: string; run: (write: GuardedWrite) => unknown }[];
  restrictions: { resource: string; restriction: Pick<Rule, 'row' | 'query'> }[];
  starts: (() => unknown)[];
  stops: (() => unknown)[];
}

export const noContributions = (): Contributions => ({
  resources: [],
  routes: [],
  runKinds: [],
  templateKinds: [],
  origins: [],
  pages: [],
  consolePages: [],
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
  points: [],
  offers: [],
  guards: [],
  restrictions: [],
  starts: [],
  stops: [],
});

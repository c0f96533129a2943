import type {
  BeforeStartOptions,
  ConsolePage,
  CronOptions,
  Extension,
  HealthReport,
  NavigationEntry,
  OriginKind,
  Pages,
  PluginRoute,
  Point,
  Resource,
  Rule,
  RunKind,
  SettingContribution,
  TapContext,
  TapOptions,
  TaskOptions,
  TemplateKind,
  WebsocketGroup,
} from '@tapline/plugin-sdk';
import type { Guard, Operation, Restriction } from '../../rbac/doors.ts';

export type HookName = 'beforeStart' | 'onStatusChange' | 'afterFinish' | 'onFactsUpdated';

export interface TapContribution {
  hook: HookName;
  /** `options.name` is `<plugin>:<name>` here */
  options: TapOptions & Partial<Pick<BeforeStartOptions, 'failMode'>>;
  tap(payload: unknown, context?: TapContext): unknown;
}

export interface TaskContribution {
  /** `<plugin>:<name>` */
  name: string;
  options: TaskOptions<unknown>;
  run(payload: unknown, context: { signal: AbortSignal }): Promise<void>;
}

/** What one plugin contributes, as it said it; `table` of a resource names its schema already. */
export interface Contributions {
  resources: Resource[];
  runKinds: RunKind[];
  templateKinds: TemplateKind[];
  origins: OriginKind[];
  routes: PluginRoute[];
  pages: Pages[];
  consolePages: ConsolePage[];
  extensions: { type: string; extension: Extension }[];
  permissions: { name: string; rule: Rule }[];
  settings: SettingContribution[];
  taps: TapContribution[];
  tasks: TaskContribution[];
  crons: CronOptions<unknown>[];
  groups: WebsocketGroup[];
  health: (() => HealthReport | Promise<HealthReport>)[];
  navigation: NavigationEntry[];
  insights: { name: string; read: () => unknown }[];
  points: Point<object>[];
  offers: { point: string; implementation: object }[];
  guards: { resource: string; operation: Operation; fn: Guard }[];
  restrictions: { resource: string; restriction: Restriction }[];
  starts: (() => void | Promise<void>)[];
  stops: (() => void | Promise<void>)[];
}

export type ContributionKind = keyof Contributions;

export const noContributions = (): Contributions => ({
  resources: [],
  runKinds: [],
  templateKinds: [],
  origins: [],
  routes: [],
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

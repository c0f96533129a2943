import type {
  BeforeStartOptions,
  CronOptions,
  Extension,
  HealthReport,
  NavigationEntry,
  Pages,
  PluginRoute,
  Resource,
  Rule,
  SettingContribution,
  TapOptions,
  TaskOptions,
  WebsocketGroup,
} from '@tapline/plugin-sdk';
import type { Guard, Operation, Restriction } from '../rbac/doors.ts';

export type HookName = 'beforeStart' | 'onStatusChange' | 'afterFinish' | 'onFactsUpdated';

export interface TapContribution {
  hook: HookName;
  /** `options.name` is `<plugin>:<name>` here */
  options: TapOptions & Partial<Pick<BeforeStartOptions, 'failMode'>>;
  tap: (payload: any) => unknown;
}

export interface TaskContribution {
  /** `<plugin>:<name>` */
  name: string;
  options: TaskOptions<any>;
  run: (payload: any, context: { signal: AbortSignal }) => Promise<void>;
}

/** What one plugin contributes, as it said it; `table` of a resource names its schema already. */
export interface Contributions {
  resources: Resource[];
  routes: PluginRoute[];
  pages: Pages[];
  extensions: { type: string; extension: Extension }[];
  permissions: { name: string; rule: Rule }[];
  settings: SettingContribution[];
  taps: TapContribution[];
  tasks: TaskContribution[];
  crons: CronOptions<any>[];
  groups: WebsocketGroup[];
  health: (() => HealthReport | Promise<HealthReport>)[];
  navigation: NavigationEntry[];
  insights: { name: string; read: () => unknown }[];
  offers: { point: string; implementation: object }[];
  guards: { resource: string; operation: Operation; fn: Guard }[];
  restrictions: { resource: string; restriction: Restriction }[];
  starts: (() => void | Promise<void>)[];
  stops: (() => void | Promise<void>)[];
}

export type ContributionKind = keyof Contributions;

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

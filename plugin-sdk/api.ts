import type { Knex } from 'knex';
import type { z } from 'zod';
import type { Field } from './field.ts';
import type { OriginKind, PluginHooks } from './hooks.ts';
import type { RunKind, TemplateKind } from './run-kind.ts';
import type { Point } from './points.ts';
import type { ListFormat } from './format.ts';
import type { Parameter } from './parameter.ts';
import type { Action, Actor, Reply, Call, Resource, Route, Row, Rule, Sublist } from './resource.ts';
import type {
  AuditService,
  Clock,
  ContentService,
  HttpService,
  InventoryService,
  LaunchService,
  NotifyService,
  PluginLog,
  ProgramService,
  RecurrenceService,
  RunService,
  SandboxService,
  SecretService,
  Tracer,
} from './services.ts';

/** What a value of each type is; `map` is an object of texts, `object` any object or list. */
export interface SettingValues {
  integer: number;
  boolean: boolean;
  string: string;
  url: string;
  list: readonly unknown[];
  choice: string;
  map: Readonly<Record<string, string>>;
  object: object;
}

export type SettingType = keyof SettingValues;

/** The type of a value that another one stands for: `true` stands for a boolean. */
export type SettingValue<T> = T extends boolean ? boolean : T extends number ? number : T extends string ? string : T;

interface SettingOf<Type extends SettingType> {
  /** UPPER_SNAKE, unique in the whole service */
  key: string;
  /** slug of the settings page; a new one makes a page of its own, called by it: `night-watch` is "Night watch" */
  category: string;
  type: Type;
  /** null where it is `nullable` */
  default: SettingValues[Type] | null;
  /** one sentence: what follows from it */
  help: string;
  /** what forms call it, where the key does not tell */
  label?: string;
  choices?: readonly string[];
  min?: number;
  max?: number;
  /** null is a value of its own */
  nullable?: boolean;
  /** stored encrypted, shown as `$encrypted$` */
  secret?: boolean;
  unit?: string;
  /** what is wrong with a value of the right type; undefined when nothing is */
  check?(value: SettingValues[Type]): string | undefined;
}

/** A setting of the plugin: appears under `/api/v2/settings/<category>/`, in the environment as TAPLINE_<KEY>. */
export type SettingContribution = { [Type in SettingType]: SettingOf<Type> }[SettingType];

/**
 * Fields, links, summaries, lists and actions on a resource of core or of another plugin. Stored fields live in a side table of
 * the plugin, whose `key` column holds the row's id (primary key; foreign key with `on delete cascade`, which the service itself
 * adds where the resource is another plugin's, whenever that is on). Where nobody declares the type, since the plugin that does
 * is off, the extension waits and adds nothing: `plugins doctor` and the log tell of it. A row without a side row shows the
 * fields' defaults, so none of them can be required. All that is done with core's own can be done with them, at no further
 * statement per page; clashing names end the boot.
 */
export interface Extension {
  /** the side table's name inside the plugin's schema; needed by stored fields */
  table?: string;
  /** its column with the core row's id; `<type>_id` unless given */
  key?: string;
  fields?: Record<string, Field>;
  /** links; null entries are left out */
  related?(row: Row): Record<string, string | null>;
  /** further summary_fields for a whole page at once, by row id (no N+1) */
  summaries?(db: Knex, rows: Row[], call: Call): Promise<Map<number, Record<string, unknown>>>;
  sublists?: Record<string, Sublist>;
  /**
   * `<id>/<name>/`, called with the row as core reads it: 404 for who does not see it, 403 by the action's own rule. Told by
   * OPTIONS, the API description, `related`, and by name in `summary_fields.user_capabilities` where it writes.
   */
  actions?: Record<string, Action>;
  /** `<path>/<name>/` */
  listActions?: Record<string, Action>;
  /** what its lists can be narrowed by besides their filters, also by the extension's own fields */
  parameters?: Record<string, Parameter>;
  /** what its lists are written as besides JSON */
  formats?: Record<string, ListFormat>;
}

export interface TaskOptions<P> {
  /** of the payload; checked when it is enqueued and when it runs */
  schema: z.ZodType<P>;
  /** tries until it is given up, default 12 with growing pauses */
  maxAttempts?: number;
  /** smaller runs earlier, default 0 */
  priority?: number;
  /** milliseconds until a try counts as failed, 1 to 3 600 000; default 600 000: whatever takes longer enqueues its next part */
  timeoutMs?: number;
}

/** When a task is run; at once where nothing is said. */
export interface TaskTime {
  /** not before so many seconds have passed */
  afterSeconds?: number;
}

export interface TaskContext {
  /** aborts when the service stops or the time is over: save where you are and end */
  signal: AbortSignal;
}

/** A registered task; `trx` is a transaction, with which it commits, or `api.db`. @throws Error without either */
export interface Task<P> {
  /** `<plugin>:<name>` */
  name: string;
  enqueue(trx: Knex, payload: P, when?: TaskTime): Promise<void>;
  enqueueAll(trx: Knex, payloads: readonly P[], when?: TaskTime): Promise<void>;
}

export interface CronOptions<P> {
  task: Task<P>;
  /**
   * Five fields as in crontab, UTC: `0 3 * * *`. It runs once in all the cluster, never beside itself;
   * what fell into a time without a running node is not made up for. A run that failed is tried again as the task says,
   * until the next one is due and takes its place.
   */
  match: string;
  payload?: P;
}

export interface WebsocketGroup {
  /** snake_case: name in a client's `groups`, and `group_name` in what it is sent */
  name: string;
  /** may this actor listen to this item? Asked at each subscription. */
  join: (actor: Actor, item: string | number, db: Knex) => boolean | Promise<boolean>;
}

export interface HealthReport {
  status: 'ok' | 'degraded' | 'failed';
  /** one sentence for the operator: what is wrong and what to do */
  detail?: string;
}

export interface NavigationEntry {
  /** route of the client: `/drift`. One for each path, with or without its final slash; not below `/api/` */
  path: string;
  /** at most 60 characters */
  label: string;
  /** whole number from 0 to 10 000, default 1000; smaller stands higher; core's own are multiples of 100 */
  order?: number;
  /** the heading under which it stands, at most 60 characters */
  section?: string;
}

export interface Pages {
  /** where they are served: `/`, `/drift/`; whoever leaves out the final slash is sent there */
  path: string;
  /** folder of built files, as it lies in the package: a build must bring them along */
  folder: URL;
  /** answered for every unknown path below `path` that asks for HTML; default `index.html` */
  fallback?: string;
  /**
   * Answered where a browser opens a path of the API itself, in place of JSON; the page reads its address and asks for the
   * rest. One plugin can have it.
   */
  browse?: string;
}

/** Pages within the console and parts of its own, from one module that it loads when somebody comes to them. */
export interface ConsolePage {
  /** below it lie the pages: `/drift`. One for each path, with or without its final slash; not below `/api/` */
  path: string;
  /** what the console calls them, in its menu and where one of them fails; at most 60 characters */
  title: string;
  /**
   * An ES module for browsers, `new URL('./pages/drift.js', import.meta.url)`, its folder being served to everybody. It imports
   * `@tapline/console-kit`, `preact` and `@preact/signals` by name, and exports `routes`: `Route`s at `path` and below.
   */
  module: URL;
  /** its entry in the menu; without it the pages are reached by links alone */
  nav?: {
    /** default the title */
    label?: string;
    order?: number;
    section?: string;
  };
  panels?: readonly ConsolePanel[];
}

/** A part of the page that shows a record of core or of a plugin. */
export interface ConsolePanel {
  /** type of the record on whose page it stands, as the API answers it: `host`, `job`, `job_template` */
  on: string;
  /** its heading, at most 60 characters */
  title: string;
  /** name of the export: a component that gets `PanelProps` of the console's kit */
  export: string;
  /** where it is not in the page's: another one in the same folder or below, so that the record's page need not load all */
  module?: URL;
  /** whole number from 0 to 10 000, default 1000; smaller stands higher */
  order?: number;
}

/** A raw body (webhooks that are signed byte by byte) or none at all; JSON unless said. */
export type BodyKind = { kind: 'json' } | { kind: 'raw'; limitBytes: number } | { kind: 'none' };

export interface PluginRoute extends Route {
  /** default JSON */
  body?: BodyKind;
  /** parts of the OpenAPI operation, merged over what the engine derives, by method */
  openapi?: Record<string, object>;
}

/** A change that a guard is asked about, inside the write's transaction. */
export interface GuardedWrite {
  trx: Knex;
  actor: Actor | null;
  /** as they will be (create, update) or are (delete) */
  rows: readonly Record<string, unknown>[];
  count: number;
  /** update: the rows before */
  before?: readonly Record<string, unknown>[];
  /** attach and detach: the record of the guarded type; `rows` holds what is linked to it or unlinked, of type `type` */
  parent?: Record<string, unknown>;
  /** attach and detach: the name of the list, like `credentials` */
  relation?: string;
  type?: string;
}

/** The door: everything a plugin can do. Calls that contribute work only inside `register`; services only after it. */
export interface PluginApi {
  readonly id: string;

  // ── contributions: inside register ──────────────────────────────────────
  /** `table` is the plain name of a table that the plugin's migrations made in its own schema. */
  resource(resource: Resource): void;
  route(route: PluginRoute): void;
  /**
   * A further kind of runs, with lists, rights, events, WebSocket messages, cancel and activity as core's own have them.
   * While the plugin is off, what is pending waits, and the runs are shown nowhere.
   */
  runKind(kind: RunKind): void;
  /**
   * What runs of a kind are launched from: rows of `templates`, whose columns its fields may be; further ones live in a
   * side table (`extend` on its type).
   */
  templateKind(template: TemplateKind): void;
  /** A kind of origin that launches of the plugin have. */
  origin(origin: OriginKind): void;
  /** Serves a folder of built files, under a policy that lets nothing inline run; there can be one at `/`. */
  pages(pages: Pages): void;
  extend(type: string, extension: Extension): void;
  readonly permissions: {
    /** Names a rule (`drift.acknowledge`) so that descriptors, clients and other parts of the plugin can refer to it. */
    define(name: string, rule: Rule): Rule;
  };
  readonly settings: {
    define(setting: SettingContribution): void;
    /**
     * The value now, in memory: as cheap as a map. Also of core's settings and of plugins that are on. `otherwise` stands
     * where there is no such setting, or its value is null or of another kind; it says what type comes back.
     */
    get<T>(key: string, otherwise: T): SettingValue<T>;
    /** The value as it is; undefined where there is no such setting. */
    get(key: string): unknown;
  };
  readonly hooks: PluginHooks;
  task<P>(name: string, options: TaskOptions<P>, run: (payload: P, context: TaskContext) => Promise<void>): Task<P>;
  cron<P>(options: CronOptions<P>): void;
  readonly websocket: {
    group(group: WebsocketGroup): void;
    /**
     * Sends to everybody who listens to the item, on every node; in `trx` it goes out at commit. It reaches who listens
     * now: send ids, at most 7,500 bytes, and let listeners read the rest. After register only.
     * @throws Error for a group that the plugin did not declare, or too long a message
     */
    publish(trx: Knex, group: string, item: string | number, message: Record<string, unknown>): Promise<void>;
  };
  /**
   * One for the plugin, asked by `/api/v2/plugins/` and `/readyz?verbose`. 2 s; a throw, a late answer and one without a
   * known status count as failed. A failed plugin does not take its node out of service: `/readyz` stays as it is.
   * Tasks and queued taps need no check: one whose last three tries failed, or that was given up, makes the plugin
   * degraded until it succeeds.
   */
  health(check: () => HealthReport | Promise<HealthReport>): void;
  /**
   * Pages in the console's own frame at `path` and below it, an entry in its menu, and panels on pages of records, listed at
   * `/api/v2/console_pages/`. Off = neither code nor entry nor panel. What they throw is shown in their place, and the
   * console lives.
   */
  page(page: ConsolePage): void;
  /** An entry in the navigation of clients, which read it from `/api/v2/navigation/`. */
  nav(entry: NavigationEntry): void;
  readonly insights: {
    /** A number, boolean or list that others may read: `scanners.enabled`. */
    provide(name: string, read: () => unknown): void;
    /** Another plugin's insight, or `fallback` where nobody provides it, its provider fails or answers something of another kind than the fallback. */
    read<T>(name: string, fallback: T): Promise<T>;
  };
  /** Opens an extension point of the plugin: what others offer there is judged by its schema when all have registered. */
  point<T extends object>(point: Point<T>): void;
  /**
   * Puts something into an extension point, of the service (`points.notificationKind`, `points.tracer`) or of a plugin.
   * What its schema does not take ends the start with plugin and point. Where nobody opens the point, since its owner is
   * off or the name is misspelt, the log and `plugins doctor` say so.
   */
  offer<T extends object>(point: Point<T>, implementation: NoInfer<T>): void;
  offer(point: string, implementation: object): void;
  /** What others have offered, in the order of registration; complete once all have registered, so call it later than `register`. */
  use<T extends object>(point: Point<T>): readonly T[];
  use(point: string): readonly unknown[];
  /**
   * Asked about every such change of a resource's rows that a caller asks for, inside the transaction of the change; bulk
   * and import included. Not asked: about rows that go with another one (guard that one), about runs when they start
   * (`hooks.beforeStart`), and about what the service itself notes in rows.
   * A thrown ApiError refuses it and is the answer; what it writes in `trx` ends with the change. `resource` is a type
   * in the singular, core's or a plugin's: `host`.
   */
  guard(
    resource: string,
    operation: 'create' | 'update' | 'delete' | 'attach' | 'detach',
    fn: (write: GuardedWrite) => void | Promise<void>,
  ): void;
  /**
   * A further condition on which rows exist for a caller, superusers included: on lists, counts, details, links, filters
   * and WebSocket messages. Both forms must agree.
   */
  restrict(resource: string, restriction: Pick<Rule, 'row' | 'query'>): void;
  /**
   * Runs on every node at the end of its start, when requests are answered already; plugins one after the other, each
   * after those it requires. A throw, or taking longer than 10 s, ends the boot; an optional plugin is left out instead,
   * and the node starts anew as if it were off.
   */
  onStart(start: () => void | Promise<void>): void;
  /** Runs before anything else stops, in reverse order of the start, also when a start failed half-way; after 10 s it is waited for no longer. */
  onStop(stop: () => void | Promise<void>): void;

  // ── rules over core's object roles: anywhere ────────────────────────────
  readonly rules: {
    /** the caller holds the role on the row itself */
    role(type: string, field: string): Rule;
    /** the caller holds the role on the record that `column` points at */
    parent(column: string, type: string, field: string, options?: { alsoEmpty?: boolean }): Rule;
  };

  // ── services: after register, each narrow and named after the plugin ────
  /**
   * knex on the service's pool: own tables by `api.table(name)`, core's data by its views (`core_hosts`, see `CoreRows`),
   * whose rows are typed. Timestamps are ISO texts, bigints numbers.
   */
  readonly db: Knex;
  /** `things` → `plugin_drift.things`; may be used in register */
  table(name: string): string;
  readonly log: PluginLog;
  readonly launch: LaunchService;
  readonly runs: RunService;
  readonly notify: NotifyService;
  readonly audit: AuditService;
  readonly sandbox: SandboxService;
  readonly http: HttpService;
  readonly programs: ProgramService;
  readonly contents: ContentService;
  readonly inventories: InventoryService;
  readonly secrets: SecretService;
  readonly recurrence: RecurrenceService;
  readonly clock: Clock;
  readonly tracer: Tracer;
}

export type { Reply };

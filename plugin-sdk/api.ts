import type { z } from 'zod';
import type { Field } from './field.ts';
import type {
  BeforeStartOptions,
  Denial,
  FactsUpdate,
  FinishedRun,
  Launch,
  StatusChange,
  TapContext,
  TapOptions,
} from './hooks.ts';
import type { Actor, Reply, Call, Resource, Route, Rule, Sublist } from './resource.ts';
import type {
  AuditService,
  Clock,
  HttpService,
  LaunchService,
  NotifyService,
  PluginLog,
  SandboxService,
  SecretService,
  Tracer,
} from './services.ts';

/** A setting of the plugin: appears under `/api/v2/settings/<category>/`, in the environment as TAPLINE_<KEY>. */
export interface SettingContribution {
  /** UPPER_SNAKE, unique in the whole service */
  key: string;
  /** slug of the settings page; a new one makes a page of its own */
  category: string;
  type: 'integer' | 'boolean' | 'string' | 'url' | 'list' | 'choice' | 'map' | 'object';
  default: unknown;
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
  check?: (value: any) => string | undefined;
}

/**
 * Fields, links, summaries and sublists on a core resource. Stored fields live in a side table of the plugin, whose
 * `key` column holds the core row's id (primary key, foreign key with `on delete cascade`). A core row without a side
 * row shows the fields' defaults, so none of them can be required. They are shown, filtered, ordered and written as
 * core's own are, at no further statement per page; clashing names end the boot.
 */
export interface Extension {
  /** the side table's name inside the plugin's schema; needed by stored fields */
  table?: string;
  /** its column with the core row's id; `<type>_id` unless given */
  key?: string;
  fields?: Record<string, Field>;
  /** links; null entries are left out */
  related?: (row: any) => Record<string, string | null>;
  /** further summary_fields for a whole page at once, by row id (no N+1) */
  summaries?: (db: any, rows: any[], call: Call) => Promise<Map<number, Record<string, unknown>>>;
  sublists?: Record<string, Sublist>;
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

export interface TaskContext {
  /** aborts when the service stops or the time is over: save where you are and end */
  signal: AbortSignal;
}

/** A registered task; `enqueue` inside a transaction commits with it. */
export interface Task<P> {
  /** `<plugin>:<name>` */
  name: string;
  enqueue(trx: any, payload: P): Promise<void>;
  enqueueAll(trx: any, payloads: readonly P[]): Promise<void>;
}

export interface CronOptions<P> {
  task: Task<P>;
  /**
   * Five fields as in crontab, UTC: `0 3 * * *`. It runs once in all the cluster, never beside itself;
   * what fell into a time without a running node is not made up for.
   */
  match: string;
  payload?: P;
}

export interface WebsocketGroup {
  /** name in a client's `groups` */
  name: string;
  /** may this actor listen to this item? Asked at each subscription. */
  join: (actor: Actor, item: string | number, db: any) => boolean | Promise<boolean>;
}

export interface HealthReport {
  status: 'ok' | 'degraded' | 'failed';
  /** one sentence for the operator: what is wrong and what to do */
  detail?: string;
}

export interface NavigationEntry {
  /** route of the client: `/drift` */
  path: string;
  label: string;
  /** smaller stands higher; core's own are multiples of 100 */
  order?: number;
  /** the heading under which it stands */
  section?: string;
}

export interface Pages {
  /** where they are served: `/` */
  path: string;
  /** folder of built files */
  folder: URL;
  /** answered for every unknown path below `path` that asks for HTML; default `index.html` */
  fallback?: string;
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
  trx: any;
  actor: Actor | null;
  /** as they will be (create, update) or are (delete) */
  rows: readonly any[];
  count: number;
  /** update: the rows before */
  before?: readonly any[];
  /** attach and detach: the record of the guarded type; `rows` holds what is linked to it or unlinked, of type `type` */
  parent?: any;
  /** attach and detach: the name of the list, like `credentials` */
  relation?: string;
  type?: string;
}

export interface PluginHooks {
  /** Decides about a launch: return a denial to refuse, nothing to go on. May run again for the same launch. */
  beforeStart(
    options: BeforeStartOptions,
    tap: (launch: Launch) => Denial | void | undefined | Promise<Denial | void | undefined>,
  ): void;
  onStatusChange(options: TapOptions, tap: (change: StatusChange, context: TapContext) => unknown): void;
  afterFinish(options: TapOptions, tap: (finished: FinishedRun, context: TapContext) => unknown): void;
  onFactsUpdated(options: TapOptions, tap: (update: FactsUpdate, context: TapContext) => unknown): void;
}

/** The door: everything a plugin can do. Calls that contribute work only inside `register`; services only after it. */
export interface PluginApi {
  readonly id: string;

  // ── contributions: inside register ──────────────────────────────────────
  /** `table` is the plain name of a table that the plugin's migrations made in its own schema. */
  resource(resource: Resource): void;
  route(route: PluginRoute): void;
  /** Serves a folder of built files; there can be one at `/`. */
  pages(pages: Pages): void;
  extend(type: string, extension: Extension): void;
  readonly permissions: {
    /** Names a rule (`drift.acknowledge`) so that descriptors, clients and other parts of the plugin can refer to it. */
    define(name: string, rule: Rule): Rule;
  };
  readonly settings: {
    define(setting: SettingContribution): void;
    /** The value now, in memory: as cheap as a map. Also of core's settings and of plugins that are on; undefined when there is none. */
    get(key: string): any;
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
    publish(trx: any, group: string, item: string | number, message: Record<string, unknown>): Promise<void>;
  };
  /**
   * One for the plugin, asked by `/api/v2/plugins/` and `/readyz?verbose`. 2 s; a throw, a late answer and one without a
   * known status count as failed. A failed plugin does not take its node out of service: `/readyz` stays as it is.
   */
  health(check: () => HealthReport | Promise<HealthReport>): void;
  /** An entry in the navigation of clients, which read it from `/api/v2/navigation/`. */
  nav(entry: NavigationEntry): void;
  readonly insights: {
    /** A number, boolean or list that others may read: `scanners.enabled`. */
    provide(name: string, read: () => unknown): void;
    /** Another plugin's insight, or `fallback` where nobody provides it, its provider fails or answers something of another kind than the fallback. */
    read<T>(name: string, fallback: T): Promise<T>;
  };
  /** Puts something into an extension point: a survey choice source, a notification kind, a recommendation rule. */
  offer(point: string, implementation: object): void;
  /** What others have offered, in the order of registration; complete once all have registered, so call it later than `register`. */
  use(point: string): readonly any[];
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
  /** knex on the service's pool. Core tables by their names, own ones by `api.table(name)`. */
  readonly db: any;
  /** `things` → `plugin_drift.things`; may be used in register */
  table(name: string): string;
  readonly log: PluginLog;
  readonly launch: LaunchService;
  readonly notify: NotifyService;
  readonly audit: AuditService;
  readonly sandbox: SandboxService;
  readonly http: HttpService;
  readonly secrets: SecretService;
  readonly clock: Clock;
  readonly tracer: Tracer;
}

export type { Reply };

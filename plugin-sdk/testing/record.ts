import type { PluginApi, Task, TaskContext, TaskOptions, TaskTime } from '../api.ts';
import type { Denial, TapOptions } from '../hooks.ts';
import type { Plugin } from '../plugin.ts';
import { offerProblems, type Point, pointName } from '../points.ts';
import type { Actor, Columns, Rule } from '../resource.ts';
import { roleProblem } from '../checks/roles.ts';
import { sameKind } from '../same-kind.ts';
import { type Contributions, type HookName, noContributions } from './recorded.ts';
import { createServices, type FakeServices, type Done } from './services.ts';

export type { Contributions, HookName } from './recorded.ts';
export type { Done, FakeServices } from './services.ts';

export interface RecordOptions {
  /** stands for the services that the plugin uses; what is not given records what it is asked, and `db` throws */
  services?: FakeServices;
  /** values other than the settings' defaults */
  settings?: Record<string, unknown>;
  /** insights of other plugins */
  insights?: Record<string, unknown>;
  /** what other plugins have offered, by extension point */
  offers?: Record<string, object[]>;
  /** does the actor hold this role? Superusers hold all; nobody else any, unless said */
  holds?: (actor: Actor, type: string, field: string, row: Columns) => boolean;
}

/** A plugin after its `register`, with all that it contributed and all that it has done since. */
export interface Recording {
  api: PluginApi;
  contributions: Contributions;
  done: Done;
  /** contributions that came after `register` and were refused, by their calls */
  late: readonly string[];
  /** Changes a setting, as an administrator would. */
  set(key: string, value: unknown): void;
  /** Calls a tap by its name. */
  tap<Hook extends HookName>(
    hook: Hook,
    name: string,
    ...given: unknown[]
  ): Promise<Hook extends 'beforeStart' ? Denial | undefined : unknown>;
  /** Runs a task by its name, without the plugin's id, after checking the payload. */
  run(task: string, payload?: unknown): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Lets a plugin register with a door that records everything and has no service behind it.
 * @throws what `register` throws, or what it did that it may not do there
 */
export function recordPlugin(plugin: Plugin, options: RecordOptions = {}): Recording {
  const contributions = noContributions();
  const settings = new Map(Object.entries(options.settings ?? {}));
  const phase: Phase = { registering: true, late: [] };
  const { services, done } = createServices(options.services);
  const door: Door = { plugin, contributions, phase, options, settings, done };
  const api = withServices({ ...contributing(door), ...sharing(door) }, phase, services) as PluginApi;
  const returned: unknown = plugin.register(api);
  if (returned !== undefined) throw new Error('register returned something: it must be synchronous and return nothing');
  phase.registering = false;
  return {
    api,
    contributions,
    done,
    late: phase.late,
    set: (key, value) => void settings.set(key, value),
    async tap(hook, name, ...given) {
      const found = contributions.taps.find((tap) => tap.hook === hook && tap.options.name === name);
      if (!found) throw new Error(`there is no tap ${name} on ${hook}`);
      return found.run(...given) as never;
    },
    async run(name, payload) {
      const task = contributions.tasks.find((one) => one.name === `${plugin.id}:${name}`);
      if (!task) throw new Error(`there is no task ${name}`);
      await task.run(task.options.schema.parse(payload), { signal: new AbortController().signal });
    },
    start: () => inOrder(contributions.starts),
    stop: () => inOrder(contributions.stops.toReversed()),
  };
}

async function inOrder(calls: readonly (() => unknown)[]): Promise<void> {
  for (const call of calls) await call();
}

interface Phase {
  registering: boolean;
  late: string[];
}

interface Door {
  plugin: Plugin;
  contributions: Contributions;
  phase: Phase;
  options: RecordOptions;
  settings: Map<string, unknown>;
  done: Done;
}

/** Puts what is given into the list of its kind, while that is allowed. */
function adder({ plugin, contributions, phase }: Door) {
  return <K extends keyof Contributions>(kind: K, call: string, item: Contributions[K][number]) => {
    if (!phase.registering) {
      phase.late.push(call);
      throw new Error(`plugin ${plugin.id}: ${call} came too late: move it into register`);
    }
    (contributions[kind] as unknown[]).push(item);
  };
}

const settingOf = ({ settings, contributions }: Door, key: string): unknown =>
  settings.has(key) ? settings.get(key) : contributions.settings.find((one) => one.key === key)?.default;

type Tap = Contributions['taps'][number];

const tap = (door: Door, hook: HookName) => (options: TapOptions, run: (...given: never[]) => unknown) =>
  adder(door)('taps', `api.hooks.${hook}`, { hook, options, run: run as Tap['run'] });

function contributing(door: Door) {
  const { plugin, done, phase } = door;
  const add = adder(door);
  return {
    id: plugin.id,
    resource: (resource) => add('resources', 'api.resource', resource),
    route: (route) => add('routes', 'api.route', route),
    runKind: (kind) => add('runKinds', 'api.runKind', kind),
    templateKind: (template) => add('templateKinds', 'api.templateKind', template),
    origin: (origin) => add('origins', 'api.origin', origin),
    pages: (pages) => add('pages', 'api.pages', pages),
    extend: (type: string, extension) => add('extensions', 'api.extend', { type, extension }),
    permissions: {
      define(name: string, rule: Rule): Rule {
        add('permissions', 'api.permissions.define', { name, rule });
        return { ...rule, name };
      },
    },
    settings: {
      define: (setting) => add('settings', 'api.settings.define', setting),
      get: ((key: string, otherwise?: unknown) => {
        assertAfter(plugin, phase, 'api.settings.get');
        const value = settingOf(door, key);
        return sameKind(value, otherwise) ? value : otherwise;
      }) as PluginApi['settings']['get'],
    },
    hooks: {
      beforeStart: tap(door, 'beforeStart'),
      onStatusChange: tap(door, 'onStatusChange'),
      afterFinish: tap(door, 'afterFinish'),
      onFactsUpdated: tap(door, 'onFactsUpdated'),
    },
    task<P>(short: string, options: TaskOptions<P>, run: (payload: P, context: TaskContext) => Promise<void>): Task<P> {
      const name = `${plugin.id}:${short}`;
      add('tasks', 'api.task', { name, options, run });
      const enqueueAll = async (trx: unknown, payloads: readonly unknown[], when: TaskTime = {}) => {
        assertAfter(plugin, phase, 'task.enqueue');
        assertConnection(plugin, `api.task("${short}").enqueue`, trx);
        done.enqueued.push(...payloads.map((one) => ({ task: name, payload: options.schema.parse(one), ...when })));
      };
      return { name, enqueueAll, enqueue: (trx, payload, when) => enqueueAll(trx, [payload], when) };
    },
    cron: (options) => add('crons', 'api.cron', options),
    health: (check) => add('health', 'api.health', check),
    page: (page) => add('consolePages', 'api.page', page),
    nav: (entry) => add('navigation', 'api.nav', entry),
    onStart: (start) => add('starts', 'api.onStart', start),
    onStop: (stop) => add('stops', 'api.onStop', stop),
  } satisfies Partial<PluginApi>;
}

function sharing(door: Door) {
  const { plugin, phase, options, done } = door;
  const add = adder(door);
  const after = (call: string) => assertAfter(plugin, phase, call);
  return {
    websocket: {
      group: (group) => add('groups', 'api.websocket.group', group),
      async publish(trx: unknown, group: string, item: string | number, message: Record<string, unknown>) {
        after('api.websocket.publish');
        assertConnection(plugin, `api.websocket.publish("${group}")`, trx);
        done.published.push({ group, item, message });
      },
    },
    insights: {
      provide: (name: string, read: () => unknown) => add('insights', 'api.insights.provide', { name, read }),
      async read<T>(name: string, fallback: T) {
        after('api.insights.read');
        return (options.insights?.[name] ?? fallback) as T;
      },
    },
    point: (point: Point<object>) => add('points', 'api.point', point),
    offer(point: string | Point<object>, implementation: object) {
      const problems = typeof point === 'string' ? [] : offerProblems(point, implementation);
      if (problems.length) throw new Error(`plugin ${plugin.id}: offer to ${pointName(point)}: ${problems.join('; ')}`);
      add('offers', 'api.offer', { point: pointName(point), implementation });
    },
    use: ((point: string | Point<object>) => {
      after('api.use');
      return options.offers?.[pointName(point)] ?? [];
    }) as PluginApi['use'],
    guard: (resource: string, operation: string, run) => add('guards', 'api.guard', { resource, operation, run }),
    restrict: (resource: string, restriction) => add('restrictions', 'api.restrict', { resource, restriction }),
    table: (name: string) => `plugin_${plugin.id.replaceAll('-', '_')}.${name}`,
    rules: {
      role: (type: string, field: string) => held(door, ['role', type, field]),
      parent: (column: string, type: string, field: string) => held(door, ['parent', column, type, field]),
    },
  } satisfies Partial<PluginApi>;
}

/** Its query form only names the row: there is no database to ask. */
function held({ plugin, options }: Door, [name, ...named]: string[]): Rule {
  const [type, field] = named.slice(-2) as [string, string];
  const wrong = roleProblem(type, field);
  const call = `api.rules.${name}(${named.map((one) => JSON.stringify(one)).join(', ')})`;
  if (wrong) throw new Error(`plugin ${plugin.id}: ${call} ${wrong.join(': ')}`);
  return {
    name: `${field} of ${type}`,
    async row(actor, row) {
      if (row === undefined) throw new Error(`${call} judges a row, and there is none`);
      return actor !== null && (actor.is_superuser || options.holds?.(actor, type, field, row) === true);
    },
    query: (_actor, builder, alias) => void builder.whereRaw('?? is not null', [`${alias}.id`]),
  };
}

function assertAfter(plugin: { id: string }, { registering }: Phase, call: string): void {
  if (registering)
    throw new Error(`plugin ${plugin.id}: ${call} was used inside register: move it into what runs later`);
}

/** What a test gives in its place may be anything. */
function assertConnection(plugin: { id: string }, call: string, trx: unknown): void {
  if (trx === undefined || trx === null)
    throw new Error(`plugin ${plugin.id}: ${call} was given no connection: give it a transaction, or api.db`);
}

/** Getters, so that a use inside `register` is told by its name. */
function withServices(api: { id: string }, phase: Phase, services: object): object {
  for (const [name, service] of Object.entries(services))
    Object.defineProperty(api, name, {
      enumerable: true,
      get: () => {
        assertAfter(api, phase, `api.${name}`);
        return service;
      },
    });
  return api;
}

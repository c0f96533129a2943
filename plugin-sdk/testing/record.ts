import type { PluginApi, Task } from '../api.ts';
import type { Plugin } from '../plugin.ts';
import type { Actor, Rule } from '../resource.ts';
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
  holds?: (actor: Actor, type: string, field: string, row: any) => boolean;
}

/** A plugin after its `register`, with all that it contributed and all that it has done since. */
export interface Recording {
  api: PluginApi;
  contributions: Contributions;
  done: Done;
  /** Changes a setting, as an administrator would. */
  set(key: string, value: unknown): void;
  /** Calls a tap by its name. */
  tap(hook: HookName, name: string, ...given: unknown[]): Promise<any>;
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
  const phase = { registering: true };
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
    set: (key, value) => void settings.set(key, value),
    async tap(hook, name, ...given) {
      const found = contributions.taps.find((tap) => tap.hook === hook && tap.options.name === name);
      if (!found) throw new Error(`there is no tap ${name} on ${hook}`);
      return found.run(...given);
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

interface Door {
  plugin: Plugin;
  contributions: Contributions;
  phase: { registering: boolean };
  options: RecordOptions;
  settings: Map<string, unknown>;
  done: Done;
}

/** Puts what is given into the list of its kind, while that is allowed. */
function adder({ plugin, contributions, phase }: Door) {
  return <K extends keyof Contributions>(kind: K, call: string, item: Contributions[K][number]) => {
    if (!phase.registering) throw new Error(`plugin ${plugin.id}: ${call} came too late: move it into register`);
    (contributions[kind] as unknown[]).push(item);
  };
}

function contributing(door: Door) {
  const { plugin, settings, done, phase, contributions } = door;
  const add = adder(door);
  const tap = (hook: HookName) => (options: any, run: any) => add('taps', `api.hooks.${hook}`, { hook, options, run });
  return {
    id: plugin.id,
    resource: (resource: any) => add('resources', 'api.resource', resource),
    route: (route: any) => add('routes', 'api.route', route),
    pages: (pages: any) => add('pages', 'api.pages', pages),
    extend: (type: string, extension: any) => add('extensions', 'api.extend', { type, extension }),
    permissions: {
      define(name: string, rule: Rule): Rule {
        add('permissions', 'api.permissions.define', { name, rule });
        return { ...rule, name };
      },
    },
    settings: {
      define: (setting: any) => add('settings', 'api.settings.define', setting),
      get(key: string) {
        assertAfter(plugin, phase, 'api.settings.get');
        return settings.has(key) ? settings.get(key) : contributions.settings.find((one) => one.key === key)?.default;
      },
    },
    hooks: {
      beforeStart: tap('beforeStart'),
      onStatusChange: tap('onStatusChange'),
      afterFinish: tap('afterFinish'),
      onFactsUpdated: tap('onFactsUpdated'),
    },
    task(short: string, options: any, run: any): Task<any> {
      const name = `${plugin.id}:${short}`;
      add('tasks', 'api.task', { name, options, run });
      const enqueueAll = async (_trx: unknown, payloads: readonly unknown[]) => {
        assertAfter(plugin, phase, 'task.enqueue');
        for (const payload of payloads) done.enqueued.push({ task: name, payload: options.schema.parse(payload) });
      };
      return { name, enqueueAll, enqueue: (trx, payload) => enqueueAll(trx, [payload]) };
    },
    cron: (options: any) => add('crons', 'api.cron', options),
    health: (check: any) => add('health', 'api.health', check),
    nav: (entry: any) => add('navigation', 'api.nav', entry),
    onStart: (start: any) => add('starts', 'api.onStart', start),
    onStop: (stop: any) => add('stops', 'api.onStop', stop),
  };
}

function sharing(door: Door) {
  const { plugin, phase, options, done } = door;
  const add = adder(door);
  const after = (call: string) => assertAfter(plugin, phase, call);
  return {
    websocket: {
      group: (group: any) => add('groups', 'api.websocket.group', group),
      async publish(_trx: unknown, group: string, item: string | number, message: Record<string, unknown>) {
        after('api.websocket.publish');
        done.published.push({ group, item, message });
      },
    },
    insights: {
      provide: (name: string, read: () => unknown) => add('insights', 'api.insights.provide', { name, read }),
      async read(name: string, fallback: unknown) {
        after('api.insights.read');
        return options.insights?.[name] ?? fallback;
      },
    },
    offer: (point: string, implementation: object) => add('offers', 'api.offer', { point, implementation }),
    use(point: string) {
      after('api.use');
      return options.offers?.[point] ?? [];
    },
    guard: (resource: string, operation: string, run: any) => add('guards', 'api.guard', { resource, operation, run }),
    restrict: (resource: string, restriction: any) => add('restrictions', 'api.restrict', { resource, restriction }),
    table: (name: string) => `plugin_${plugin.id.replaceAll('-', '_')}.${name}`,
    rules: {
      role: (type: string, field: string) => held(options, type, field),
      parent: (_column: string, type: string, field: string) => held(options, type, field),
    },
  };
}

/** Its query form narrows nothing: there is no database to ask. */
const held = ({ holds }: RecordOptions, type: string, field: string): Rule => ({
  name: `${field} of ${type}`,
  row: (actor, row) => actor !== null && (actor.is_superuser || holds?.(actor, type, field, row) === true),
  query: () => undefined,
});

function assertAfter(plugin: { id: string }, { registering }: { registering: boolean }, call: string): void {
  if (registering)
    throw new Error(`plugin ${plugin.id}: ${call} was used inside register: move it into what runs later`);
}

/** Getters, so that a use inside `register` is told by its name. */
function withServices(api: { id: string }, phase: { registering: boolean }, services: object): object {
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

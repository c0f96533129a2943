import type { Plugin, PluginApi } from '@tapline/plugin-sdk';
import { type ContributionKind, type Contributions, noContributions } from './door/contributions.ts';
import { callError, PluginError } from '../observe/plugin-error.ts';
import type { LeftOut } from './find/load.ts';
import type { PluginServices } from './services/services.ts';

/** One plugin that is on, with all that it contributed. */
export interface Registered {
  plugin: Plugin;
  optional: boolean;
  contributions: Contributions;
  api: PluginApi;
}

/** What all of a kind are, each with the plugin that contributed it, in the order of registration. */
export type Owned<K extends ContributionKind> = { plugin: string; item: Contributions[K][number] };

type Connect = (plugin: Plugin) => PluginServices;

/** Everything that plugins contributed. Filled while they register, then frozen; services come in later. */
export class Registries {
  readonly plugins: Registered[] = [];
  readonly leftOut: readonly LeftOut[];
  /** of settings that plugins had which were left out since: no mistake of the operator's */
  readonly idleKeys: readonly string[];
  readonly #claims = new Map<string, string>();
  readonly #services = new Map<string, PluginServices>();
  #registering: string | undefined;
  #connect: Connect | undefined;

  constructor(leftOut: readonly LeftOut[] = [], idleKeys: readonly string[] = []) {
    this.leftOut = leftOut;
    this.idleKeys = idleKeys;
  }

  all<K extends ContributionKind>(kind: K): Owned<K>[] {
    return this.plugins.flatMap(({ plugin, contributions }) =>
      contributions[kind].map((item) => ({ plugin: plugin.id, item })),
    );
  }

  /** Of the settings of all that registered, now and before. */
  settingKeys(): string[] {
    return [...this.idleKeys, ...this.all('settings').map(({ item }) => item.key)];
  }

  /** Of each plugin its version; null where an optional one was left out. */
  versions(): Record<string, string | null> {
    const on = this.plugins.map(({ plugin }) => [plugin.id, plugin.version] as const);
    return Object.fromEntries([...on, ...this.leftOut.map(({ id }) => [id, null] as const)]);
  }

  find(id: string): Registered | undefined {
    return this.plugins.find(({ plugin }) => plugin.id === id);
  }

  /** The same without these plugins and those that require them. */
  without(ids: ReadonlySet<string>): Registries {
    const rest = new Registries(this.leftOut, this.idleKeys);
    const gone = new Set(ids);
    // each comes after those that it requires
    for (const one of this.plugins) {
      if (one.plugin.requires?.some((needed) => gone.has(needed))) gone.add(one.plugin.id);
      if (!gone.has(one.plugin.id)) rest.plugins.push(one);
    }
    return rest;
  }

  /** Runs `register` of one plugin; whatever goes wrong in it is told as its fault. */
  register(one: Registered): void {
    const { plugin, api } = one;
    this.plugins.push(one);
    this.#registering = plugin.id;
    try {
      const returned: unknown = plugin.register(api);
      if (typeof (returned as Promise<unknown>)?.then === 'function') {
        (returned as Promise<unknown>).then(undefined, () => undefined);
        throw new PluginError(
          plugin.id,
          'register returned a promise: it must be synchronous, so move whatever waits into api.onStart',
        );
      }
    } catch (error) {
      if (error instanceof PluginError) throw error;
      throw new PluginError(plugin.id, `register failed: ${String((error as Error)?.message ?? error)}`, {
        cause: error,
      });
    } finally {
      this.#registering = undefined;
    }
  }

  /** @throws when the call comes after `register` */
  assertRegistering(plugin: string, call: string): void {
    if (this.#registering === plugin) return;
    throw callError(
      plugin,
      call,
      'came too late',
      'contributions are made inside register, before the service starts; move the call there',
    );
  }

  /** Takes a name that there can be once only. @throws naming whose it is already */
  claim(plugin: string, call: string, kind: string, name: string): void {
    const owner = this.#claims.get(`${kind} ${name}`);
    if (owner !== undefined)
      throw callError(
        plugin,
        call,
        `clashes: the ${kind} ${name} is ${owner === plugin ? 'its own already' : `contributed by plugin ${owner}`}`,
        owner === plugin ? 'remove one of the two calls' : 'choose another name, or switch one of the two plugins off',
      );
    this.#claims.set(`${kind} ${name}`, plugin);
  }

  /** From now on plugins may use their services. */
  connect(connect: Connect): void {
    this.#connect = connect;
  }

  /** @throws while `register` runs: there is nothing yet to serve it */
  services(plugin: Plugin, call: string): PluginServices {
    if (!this.#connect)
      throw callError(
        plugin.id,
        call,
        'was used inside register',
        'services work in what runs later (handlers, taps, tasks, api.onStart); move it there',
      );
    let services = this.#services.get(plugin.id);
    if (!services) this.#services.set(plugin.id, (services = this.#connect(plugin)));
    return services;
  }

  freeze(): void {
    for (const { contributions } of this.plugins) {
      for (const list of Object.values(contributions)) Object.freeze(list);
      Object.freeze(contributions);
    }
    Object.freeze(this.plugins);
  }
}

export const newRegistered = (plugin: Plugin, optional: boolean): Omit<Registered, 'api'> => ({
  plugin,
  optional,
  contributions: noContributions(),
});

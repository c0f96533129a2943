import type { PluginApi } from '@tapline/plugin-sdk';

/** Share of a tenant's quota that is used, in percent. */
export interface QuotaUsage {
  organization: number;
  name: string;
  quota_kind: string;
  percent: number;
}

/**
 * What rules may look at. Of what is not there (a plugin that is off) it is zero, false or empty; what could not be read
 * throws an UnreadInput when it is looked at, so that a rule that needs it is left out instead of judging by a zero.
 */
export interface Inputs {
  readonly enabled_scanners: number;
  readonly policies: number;
  readonly enforced_policies: number;
  readonly organizations: number;
  readonly tenancy_enabled: boolean;
  readonly otel_enabled: boolean;
  readonly job_templates: number;
  /** those that ask: the survey is enabled and has questions */
  readonly job_templates_with_survey: number;
  readonly schedules: number;
  readonly catalog_items: number;
  readonly drift_detections: number;
  /** `last_synced`: ISO 8601, the end of the last good update; null = there was none */
  readonly projects: readonly { id: number; name: string; last_synced: string | null }[];
  readonly tenants: readonly QuotaUsage[];
  readonly teams: number;
  /** the team that the installation began with is there */
  readonly first_team: boolean;
  readonly default_admin_password: boolean;
  /** when the inputs were read */
  readonly now: Date;
}

type Name = keyof Omit<Inputs, 'now'>;
export type InputReaders = { [K in Name]: (api: PluginApi) => Promise<Inputs[K]> };

export class UnreadInput extends Error {
  override name = 'UnreadInput';
}

export interface Reading {
  inputs: Inputs;
  /** what could not be read, and why */
  unread: ReadonlyMap<string, Error>;
}

/** Per process; a request within it reuses the inputs (specification, rule 5). */
const keptMs = 60_000;

/** Reads every input by itself, so that one that fails costs only what needs it; simultaneous requests share one reading. */
export function createInputs(api: PluginApi, readers: InputReaders): () => Promise<Reading> {
  let kept: { until: number; reading: Promise<Reading> } | undefined;
  return () => {
    const now = api.clock.now();
    if (!kept || kept.until <= now.getTime()) {
      kept = { until: now.getTime() + keptMs, reading: readAll(api, readers, now) };
    }
    return kept.reading;
  };
}

async function readAll(api: PluginApi, readers: InputReaders, now: Date): Promise<Reading> {
  const inputs = { now };
  const unread = new Map<string, Error>();
  await Promise.all(
    Object.entries(readers).map(async ([name, read]) => {
      try {
        // what a provider keeps for itself is not to be frozen
        const value = frozen(structuredClone(await read(api)));
        Object.defineProperty(inputs, name, { enumerable: true, value });
      } catch (err) {
        unread.set(name, err as Error);
        Object.defineProperty(inputs, name, { get: () => refuse(name) });
        api.log.error(
          { err, input: name },
          'an input could not be read: the recommendations that need it are left out',
        );
      }
    }),
  );
  return { inputs: Object.freeze(inputs) as Inputs, unread };
}

function refuse(name: string): never {
  throw new UnreadInput(`${name} could not be read`);
}

/** Rules of several plugins, and of several requests, look at the same inputs. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(Object.freeze(value))) frozen(inner);
  return value;
}

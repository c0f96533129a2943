import type { PluginApi } from '@tapline/plugin-sdk';

/** Share of a tenant's quota that is used, in percent. */
export interface QuotaUsage {
  organization: number;
  name: string;
  quota_kind: string;
  percent: number;
}

/** What rules may look at. What cannot be read is zero, false or empty. */
export interface Inputs {
  enabled_scanners: number;
  policies: number;
  enforced_policies: number;
  organizations: number;
  tenancy_enabled: boolean;
  otel_enabled: boolean;
  job_templates: number;
  job_templates_with_survey: number;
  schedules: number;
  catalog_items: number;
  drift_detections: number;
  /** ISO 8601; null = never synced */
  projects: readonly { id: number; name: string; last_synced: string | null }[];
  tenants: readonly QuotaUsage[];
  teams: number;
  default_admin_password: boolean;
  /** when the inputs were read */
  now: Date;
}

export type InputReaders = {
  [K in keyof Omit<Inputs, 'now'>]: { fallback: Inputs[K]; read: (api: PluginApi) => Promise<Inputs[K]> };
};

/** Per process; a request within it reuses the inputs (specification, rule 5). */
const keptMs = 60_000;

/** Reads every input by itself, so that one that fails costs only itself; simultaneous requests share one reading. */
export function createInputs(api: PluginApi, readers: InputReaders): () => Promise<Inputs> {
  let kept: { until: number; inputs: Promise<Inputs> } | undefined;
  return () => {
    const now = api.clock.now();
    if (!kept || kept.until <= now.getTime()) {
      kept = { until: now.getTime() + keptMs, inputs: readAll(api, readers, now) };
    }
    return kept.inputs;
  };
}

async function readAll(api: PluginApi, readers: InputReaders, now: Date): Promise<Inputs> {
  const entries = await Promise.all(
    Object.entries(readers).map(async ([name, { fallback, read }]) => {
      try {
        // what a provider keeps for itself is not to be frozen
        return [name, structuredClone(await read(api))];
      } catch (err) {
        api.log.debug({ err, input: name }, 'an input of the recommendations could not be read');
        return [name, fallback];
      }
    }),
  );
  return frozen({ ...Object.fromEntries(entries), now } as Inputs);
}

/** Rules of several plugins, and of several requests, look at the same inputs. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(Object.freeze(value))) frozen(inner);
  return value;
}

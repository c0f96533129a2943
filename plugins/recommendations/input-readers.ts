import type { PluginApi } from '@tapline/plugin-sdk';
import type { InputReaders } from './inputs.ts';

const count = async (query: any): Promise<number> => Number((await query.count('* as n').first()).n);
const templates = (api: PluginApi, kind: string) => api.db('templates').where({ kind });

/** An insight of a plugin that may be off: then zero, false or empty. */
const insight = <T>(name: string, fallback: T) => ({
  fallback,
  read: (api: PluginApi): Promise<T> => api.insights.read(name, fallback),
});

const setting = (key: string) => ({
  fallback: false,
  read: async (api: PluginApi) => api.settings.get(key) === true,
});

/** Where each input comes from: at most one statement each. */
export const inputReaders: InputReaders = {
  enabled_scanners: insight('scanners.enabled', 0),
  policies: insight('policies.total', 0),
  enforced_policies: insight('policies.enforced', 0),
  organizations: { fallback: 0, read: (api) => count(api.db('organizations')) },
  tenancy_enabled: setting('TENANCY_ENABLED'),
  otel_enabled: setting('OTEL_ENABLED'),
  job_templates: { fallback: 0, read: (api) => count(templates(api, 'job_template')) },
  job_templates_with_survey: {
    fallback: 0,
    read: (api) => count(templates(api, 'job_template').where('survey_enabled', true)),
  },
  schedules: { fallback: 0, read: (api) => count(api.db('schedules')) },
  catalog_items: insight('catalog.items', 0),
  drift_detections: insight('drift.detections', 0),
  projects: {
    fallback: [],
    read: async (api) =>
      (await templates(api, 'project').orderBy('id').select('id', 'name', 'last_job_run as synced')).map(
        ({ id, name, synced }: { id: number; name: string; synced: string | Date | null }) => ({
          id,
          name,
          last_synced: synced === null ? null : new Date(synced).toISOString(),
        }),
      ),
  },
  tenants: insight('tenants.quota_usage', []),
  teams: { fallback: 0, read: (api) => count(api.db('teams')) },
  default_admin_password: {
    fallback: false,
    read: async (api) =>
      (await api.db('users').where({ username: 'admin', is_superuser: true, initial_password: true }).first('id')) !==
      undefined,
  },
};

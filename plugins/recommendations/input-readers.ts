import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { InputReaders } from './inputs.ts';

const count = async (query: Knex.QueryBuilder): Promise<number> =>
  Number((await query.count({ total: '*' }).first()).total);
const jobTemplates = (api: PluginApi) => api.db('core_templates').where({ kind: 'job_template' });

/** An insight of a plugin that may be off: then zero, false or empty. */
const insight =
  <T>(name: string, fallback: T) =>
  (api: PluginApi): Promise<T> =>
    api.insights.read(name, fallback);

const setting = (key: string) => async (api: PluginApi) => api.settings.get(key, false);

/** The team that an installation begins with. */
const firstTeam = 'Default';

/** Where each input comes from: one statement each, over what core promises. What is not there at all is zero. */
export const inputReaders: InputReaders = {
  enabled_scanners: insight('scanners.enabled', 0),
  policies: insight('policies.total', 0),
  enforced_policies: insight('policies.enforced', 0),
  organizations: (api) => count(api.db('core_organizations')),
  tenancy_enabled: setting('TENANCY_ENABLED'),
  otel_enabled: setting('OTEL_ENABLED'),
  job_templates: (api) => count(jobTemplates(api)),
  job_templates_with_survey: (api) =>
    count(jobTemplates(api).where({ survey_enabled: true }).where('survey_questions', '>', 0)),
  schedules: (api) => count(api.db('core_schedules')),
  catalog_items: insight('catalog.items', 0),
  drift_detections: insight('drift.detections', 0),
  projects: (api) => api.db('core_projects').orderBy('id').select('id', 'name', 'last_synced'),
  tenants: insight('tenants.quota_usage', []),
  teams: (api) => count(api.db('core_teams')),
  first_team: async (api) => (await api.db('core_teams').where({ name: firstTeam }).first('id')) !== undefined,
  default_admin_password: async (api) => {
    const admin = { username: 'admin', is_superuser: true, has_default_password: true };
    return (await api.db('core_users').where(admin).first('id')) !== undefined;
  },
};

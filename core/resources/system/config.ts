import { join } from 'node:path';
import { ApiError, type Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, listOf, record, text } from '../../descriptors/describe/json-schema.ts';
import { directAnywhere } from '../../rbac/role-rules.ts';
import { authenticated, superuser } from '../../rbac/rules.ts';
import { unusedFolders } from '../../scm/folders.ts';

const becomeMethods = [
  ['sudo', 'Sudo'],
  ['su', 'Su'],
  ['pbrun', 'Pbrun'],
  ['pfexec', 'Pfexec'],
  ['dzdo', 'DZDO'],
  ['pmrun', 'Pmrun'],
  ['runas', 'Runas'],
  ['enable', 'Enable'],
  ['doas', 'Doas'],
  ['ksu', 'Ksu'],
  ['machinectl', 'Machinectl'],
  ['sesu', 'Sesu'],
] as const;

const keepsProjects = directAnywhere('admin_role', 'auditor_role', 'project_admin_role');

const shown = record(
  {
    version: text,
    license_info: record({ license_type: text, valid_key: flag, subscription_name: text, product_name: text }),
    time_zone: text,
    eula: text,
    analytics_status: text,
    analytics_collectors: { type: 'object', properties: {} },
    become_methods: listOf({ ...listOf(text), minItems: 2, maxItems: 2 }),
    ui_next: flag,
    custom_virtualenvs: { ...listOf(text), maxItems: 0 },
    project_base_dir: { ...text, description: 'To those who keep an organization or its projects.' },
    project_local_paths: listOf(text),
  },
  ['project_base_dir', 'project_local_paths'],
);

interface Deps {
  db: Knex;
  config: { version: string; dataDir: string };
}

// the web client locks itself unless the key is valid
const license = { license_type: 'open', valid_key: true, subscription_name: 'open', product_name: 'Tapline' };

/** What a client needs to know of the installation before it shows anything. */
export const configRoutes = ({ db, config }: Deps): Route[] => [
  {
    path: '/api/v2/config/',
    root: 'config',
    summary: 'About this installation',
    access: { GET: authenticated, POST: superuser, DELETE: superuser },
    takes: { type: 'object' },
    answers: { GET: { schema: shown }, POST: [], DELETE: { status: 204, empty: true } },
    async handler({ actor, method }) {
      if (method === 'POST') throw noLicence();
      // there is none, so it is gone already
      if (method === 'DELETE') return { status: 204 };
      const keeps = actor!.is_superuser || actor!.is_system_auditor || (await keepsProjects.row(actor, {}, db));
      return {
        status: 200,
        body: { ...about(config.version), ...(keeps && (await projectFolders(db, config.dataDir))) },
      };
    },
  },
  ...['subscriptions', 'attach'].map((name) => ({
    path: `/api/v2/config/${name}/`,
    summary: 'Subscriptions: there are none to choose from',
    access: { POST: superuser },
    takes: { type: 'object' },
    answers: { POST: [] },
    handler: async () => Promise.reject(noLicence()),
  })),
];

const noLicence = () =>
  new ApiError(400, {
    error: 'Tapline needs neither a licence nor a subscription: there is nothing to hand in or to attach.',
  });

const about = (version: string) => ({
  version,
  license_info: license,
  time_zone: 'UTC',
  eula: '',
  analytics_status: 'off',
  analytics_collectors: {},
  become_methods: becomeMethods,
  ui_next: false,
  custom_virtualenvs: [],
});

const projectFolders = async (db: Knex, dataDir: string) => ({
  project_base_dir: join(dataDir, 'projects'),
  project_local_paths: await unusedFolders(db, dataDir),
});

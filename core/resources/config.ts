import { join } from 'node:path';
import type { Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, listOf, record, text } from '../engine/json-schema.ts';
import { directAnywhere } from '../rbac/role-rules.ts';
import { authenticated } from '../rbac/rules.ts';
import { unusedFolders } from '../scm/folders.ts';

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

/** What a client needs to know of the installation before it shows anything. */
export const configRoute = ({ db, config }: { db: Knex; config: { version: string; dataDir: string } }): Route => ({
  path: '/api/v2/config/',
  root: 'config',
  summary: 'About this installation',
  access: { GET: authenticated },
  answers: { GET: { schema: shown } },
  async handler({ actor }) {
    const body: Record<string, unknown> = {
      version: config.version,
      // the web client locks itself unless the key is valid
      license_info: { license_type: 'open', valid_key: true, subscription_name: 'open', product_name: 'Tapline' },
      time_zone: 'UTC',
      eula: '',
      analytics_status: 'off',
      analytics_collectors: {},
      become_methods: becomeMethods,
      ui_next: false,
      custom_virtualenvs: [],
    };
    if (actor!.is_superuser || actor!.is_system_auditor || (await keepsProjects.row(actor, {}, db))) {
      body.project_base_dir = join(config.dataDir, 'projects');
      body.project_local_paths = await unusedFolders(db, config.dataDir);
    }
    return { status: 200, body };
  },
});

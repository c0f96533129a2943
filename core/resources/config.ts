import { join } from 'node:path';
import type { Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
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

/** What a client needs to know of the installation before it shows anything. */
export const configRoute = ({ db, config }: { db: Knex; config: { version: string; dataDir: string } }): Route => ({
  path: '/api/v2/config/',
  root: 'config',
  summary: 'About this installation',
  access: { GET: authenticated },
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

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { Config } from '../config/config.ts';

const folder = 'demo';
const playbook = 'greeting.yml';

const greeting = `---
- name: Greet every host
  hosts: all
  gather_facts: true
  tasks:
    - name: Say who is there
      ansible.builtin.debug:
        msg: "{{ inventory_hostname }} is here: {{ ansible_facts.system }} on {{ ansible_facts.architecture }}"
`;

/** The engine's own Python: what discovery finds on this machine may be a shim that does not work. */
const localhost = `---
ansible_connection: local
ansible_python_interpreter: "{{ ansible_playbook_python }}"
`;

const marker = { key: 'demo_content', value: 'true' };

/** The first organization and team, and something to launch: project, inventory, credential, job template. Once removed they stay away. */
export async function createDemoContent({ db, config }: { db: Knex; config: Pick<Config, 'dataDir'> }): Promise<void> {
  if (await db('service_state').where({ key: marker.key }).first('key')) return;
  await db.transaction(async (trx) => {
    // two nodes may start on the new database at the same time: the second one waits here and then inserts nothing
    const mine = await trx('service_state').insert(marker).onConflict('key').ignore().returning('key');
    if (!mine.length || (await trx('organizations').first('id'))) return;
    writeProject(join(config.dataDir, 'projects', folder));
    await insertContent(trx);
  });
}

function writeProject(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  writeFileSync(join(path, playbook), greeting, { mode: 0o644 });
}

async function insertContent(trx: Knex.Transaction): Promise<void> {
  const insert = async (table: string, row: object): Promise<number> =>
    (await trx(table).insert(row).returning('id'))[0].id;
  const admin = await trx('users').orderBy('id').first('id');
  const by = { created_by_id: admin?.id ?? null, modified_by_id: admin?.id ?? null };
  const organization_id = await insert('organizations', { name: 'Default', description: '', ...by });
  await insert('teams', { name: 'Default', organization_id, ...by });
  const inventory_id = await insert('inventories', { name: 'Demo Inventory', organization_id, ...by });
  await insert('hosts', { name: 'localhost', inventory_id, variables: localhost, ...by });
  const project = {
    kind: 'project',
    name: 'Demo Project',
    organization_id,
    local_path: folder,
    status: 'ok',
    playbook_files: JSON.stringify([playbook]),
  };
  const project_id = await insert('templates', { ...project, ...by });
  const template_id = await insert('templates', {
    kind: 'job_template',
    name: 'Demo Job Template',
    organization_id,
    inventory_id,
    project_id,
    playbook,
    use_fact_cache: true,
    ...by,
  });
  const machine = await trx('credential_types').where({ namespace: 'ssh' }).first('id');
  if (!machine)
    throw new Error('the managed credential types are missing: they have to be there before the demo content');
  const credential_id = await insert('credentials', {
    name: 'Demo Credential',
    organization_id,
    credential_type_id: machine.id,
    inputs: JSON.stringify({ username: 'admin' }),
    ...by,
  });
  await trx('template_credentials').insert({ template_id, credential_id });
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Shown } from '@tapline/plugin-sdk';
import { type Answer, type Client, type Core, until } from '@tapline/plugin-sdk/testing';

interface Stage {
  admin: Client;
  dataDir: string;
  /** users that were made, by name */
  made: Set<string>;
  engine: boolean;
}

/** Users have passwords that tests need not know. */
export const passwordOf = (username: string) => `${username}-Password-1`;

/** Hosts that are this machine, with a Python that is sure to work. */
const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';

const hello = '- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: { msg: "hello" }\n';

const endTimeoutMs = 120_000;

type Makers = Pick<Core, 'makeUser' | 'grant' | 'makeInventory' | 'makeProject' | 'makeTemplate' | 'ended'>;

export const makersOf = (stage: Stage): Makers => ({
  ...peopleOf(stage),
  ...contentOf(stage),
  ended: (run) => ended(stage, run),
});

const make = async ({ admin }: Stage, path: string, body: object): Promise<Shown> =>
  shown(await admin.post(path, body), 201, path);

function peopleOf(stage: Stage): Pick<Makers, 'makeUser' | 'grant'> {
  const { admin, made } = stage;
  return {
    async makeUser(username, columns = {}) {
      const user = await make(stage, 'users/', { username, password: passwordOf(username), ...columns });
      made.add(username);
      return user;
    },
    async grant(username, record, role) {
      const { results } = shown(await admin.get(`users/?username=${encodeURIComponent(username)}`), 200, username);
      const { summary_fields: summaries } = shown(await admin.get(record), 200, record);
      const roles = summaries.object_roles ?? {};
      if (!results.length) throw new Error(`there is no user ${username}: makeUser('${username}') first`);
      if (!roles[role])
        throw new Error(`${record} has no ${role}: it has ${Object.keys(roles).join(', ') || 'no roles'}`);
      shown(await admin.post(`users/${results[0].id}/roles/`, { id: roles[role].id }), 204, 'roles/');
    },
  };
}

function contentOf(stage: Stage): Pick<Makers, 'makeInventory' | 'makeProject' | 'makeTemplate'> {
  let count = 0;
  const organization = async (): Promise<number> => {
    const { results } = shown(await stage.admin.get('organizations/?order_by=id&page_size=1'), 200, 'organizations/');
    return results[0].id;
  };
  const content: ReturnType<typeof contentOf> = {
    async makeInventory({ hosts = [], ...columns } = {}) {
      const name = `inventory ${++count}`;
      const inventory = await make(stage, 'inventories/', { name, organization: await organization(), ...columns });
      for (const host of hosts) await make(stage, 'hosts/', { name: host, inventory: inventory.id, variables: local });
      return inventory;
    },
    async makeProject(files, columns = {}) {
      const name = `project-${++count}`;
      writeFiles(join(stage.dataDir, 'projects', name), files);
      const body = { name, organization: await organization(), local_path: name, ...columns };
      return make(stage, 'projects/', body);
    },
    async makeTemplate({ playbook = hello, project, inventory, ...columns } = {}) {
      return make(stage, 'job_templates/', {
        name: `template ${++count}`,
        project: project ?? (await content.makeProject({ 'site.yml': playbook })).id,
        inventory: inventory ?? (await content.makeInventory({ hosts: ['here'] })).id,
        playbook: project === undefined ? 'site.yml' : playbook,
        ...columns,
      });
    },
  };
  return content;
}

async function ended({ admin, engine }: Stage, run: number): Promise<Shown> {
  if (!engine) throw new Error('without an engine no job ends: startCore({ engine: true })');
  const { url } = await found(admin, run);
  return until(
    async () => {
      const { body } = await admin.get(url);
      return body.finished && body.event_processing_finished !== false ? body : undefined;
    },
    endTimeoutMs,
    `that run ${run} ends`,
  );
}

async function found(admin: Client, run: number): Promise<Shown> {
  const { results } = shown(await admin.get(`unified_jobs/?id=${run}`), 200, 'unified_jobs/');
  if (!results.length) throw new Error(`there is no run ${run}`);
  return results[0];
}

/** @throws with the answer where it is another than what was made up should have */
function shown({ status, text, body }: Answer, expected: number, what: string): Answer['body'] {
  if (status === expected) return body;
  throw new Error(`${what} answered ${status} instead of ${expected}: ${text}`);
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = resolve(folder, name);
    if (!path.startsWith(folder + sep)) throw new Error(`${name} lies outside of the project`);
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    writeFileSync(path, text, { mode: 0o644 });
  }
}

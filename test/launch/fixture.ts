import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BootWith, bootWith } from '../support/plugins.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

export const quick =
  '- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: {msg: "hello {{ who | default(\'nobody\') }}"}\n';
/** Runs until the file that `release` names exists. */
export const held =
  '- hosts: all\n  gather_facts: false\n  tasks:\n    - wait_for: {path: "{{ release }}", timeout: 600}\n';
export const failing =
  '- hosts: all\n  gather_facts: false\n  tasks:\n    - fail: {msg: no}\n      when: inventory_hostname == "bad"\n';
const sleeping = '- hosts: all\n  gather_facts: false\n  tasks:\n    - command: sleep 600\n';

const local = 'ansible_connection: local\nansible_python_interpreter: "{{ ansible_playbook_python }}"\n';

export interface Stage extends TestService {
  inventory: number;
  project: number;
  machineType: number;
  vaultType: number;
  template(body?: object): Promise<number>;
  launch(template: number, body?: object): Promise<any>;
  credential(body: object): Promise<number>;
  ended(job: number): Promise<any>;
  reached(job: number, status: string): Promise<any>;
}

/** A running service with an inventory of two local hosts and a manual project. */
export async function startStage(
  env: Record<string, string> = {},
  plugins: NonNullable<BootWith['plugins']> = [],
): Promise<Stage> {
  const service = plugins.length ? await bootWith({ env, plugins }) : await startService(env);
  const make = async (path: string, body: object): Promise<any> => {
    const answer = await service.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const folder = join(service.dataDir, 'projects', 'stage');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({
    'quick.yml': quick,
    'held.yml': held,
    'failing.yml': failing,
    'sleeping.yml': sleeping,
  }))
    writeFileSync(join(folder, name), text);
  const organization = (await service.get('organizations/')).body.results[0].id;
  const inventory = (await make('inventories/', { name: 'stage', organization })).id;
  for (const name of ['good', 'bad']) await make('hosts/', { name, inventory, variables: local });
  const project = (await make('projects/', { name: 'stage', organization, local_path: 'stage' })).id;
  const types = await service.services
    .db('credential_types')
    .whereIn('namespace', ['ssh', 'vault'])
    .select('id', 'namespace');
  const reached = (job: number, test: (body: any) => boolean, what: string) =>
    until(
      async () => {
        const { body } = await service.get(`jobs/${job}/`);
        return test(body) ? body : undefined;
      },
      60_000,
      `job ${job} ${what}`,
    );
  return {
    ...service,
    inventory,
    project,
    machineType: types.find((type) => type.namespace === 'ssh')!.id,
    vaultType: types.find((type) => type.namespace === 'vault')!.id,
    template: async (body = {}) =>
      (await make('job_templates/', { name: `t${Math.random()}`, inventory, project, playbook: 'quick.yml', ...body }))
        .id,
    credential: async (body) => (await make('credentials/', { name: `c${Math.random()}`, organization, ...body })).id,
    launch: async (template, body = {}) => await make(`job_templates/${template}/launch/`, body),
    ended: (job) => reached(job, (body) => body.finished !== null, 'ended'),
    reached: (job, status) => reached(job, (body) => body.status === status, status),
  };
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Service } from './service.ts';

/** Inventory document for both sides: bare runs and the service use the same host variables. */
export const localhostVars = {
  ansible_connection: 'local',
  ansible_python_interpreter: '{{ ansible_playbook_python }}',
};

/** A manual project with the given playbooks, an inventory with one local host. */
export async function prepare(
  service: Service,
  playbooks: Record<string, string>,
): Promise<{ template(name: string, playbook: string, more?: object): Promise<number> }> {
  const folder = join(service.data, 'projects', 'bench');
  for (const [name, text] of Object.entries(playbooks)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const organization = (await service.call('GET', 'organizations/?name=Default')).results[0].id as number;
  const project = await service.call('POST', 'projects/', {
    name: 'Bench',
    organization,
    scm_type: '',
    local_path: 'bench',
  });
  const inventory = await service.call('POST', 'inventories/', { name: 'Bench', organization });
  await service.call('POST', 'hosts/', {
    name: 'localhost',
    inventory: inventory.id,
    variables: JSON.stringify(localhostVars),
  });
  return {
    template: async (name, playbook, more = {}) => {
      const made = await service.call('POST', 'job_templates/', {
        name,
        project: project.id,
        inventory: inventory.id,
        playbook,
        ...more,
      });
      return made.id as number;
    },
  };
}

export const debugPlaybook = `- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: hello
`;

/** About \`events\` result events: one looped task, as large playbooks produce them. */
export const loopPlaybook = (events: number) => `- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: "item {{ item }}"
      loop: "{{ range(0, ${events}) | list }}"
`;

export const sleepPlaybook = (seconds: number) => `- hosts: all
  gather_facts: false
  tasks:
    - command: sleep ${seconds}
`;

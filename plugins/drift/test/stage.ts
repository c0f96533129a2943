import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from '@tapline/plugin-sdk';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import drift from '../index.ts';
import { type Teller, tellerOf } from './teller.ts';

/** Gathers what there is of this machine, and what is in files beside it and in the environment of its tasks. */
const gathering = `- hosts: all
  gather_facts: true
  environment:
    DRIFT_COLOUR: "{{ colour | default('blue') }}"
  tasks:
    - set_fact:
        cacheable: true
        sysctl: "{{ lookup('file', 'sysctl.yml') | from_yaml }}"
        version: 1.0
    - command: "true"
      when: repair | default(false)
      changed_when: true
`;

export interface DriftStage extends Stage, Teller {
  /** as a file of settings of the kernel would be changed on the hosts */
  writeSysctl(values: object): void;
  /** gathers facts of both hosts by a real run */
  gather(variables?: object): Promise<number>;
  host(name: string): Promise<number>;
  /** a host whose facts went through these states, told one after the other */
  drifted(name: string, ...states: object[]): Promise<number>;
  /** a notification template that sends to a `mailTarget` */
  mailTemplate(port: number, name?: string): Promise<number>;
  all(path: string): Promise<any[]>;
}

export async function startDrift(env: Record<string, string> = {}, others: Plugin[] = []): Promise<DriftStage> {
  const stage = await startStage(env, [drift, ...others]);
  const folder = join(stage.dataDir, 'projects', 'stage');
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('gather.yml', gathering);
  const template = await stage.template({
    playbook: 'gather.yml',
    use_fact_cache: true,
    ask_variables_on_launch: true,
  });
  const teller = tellerOf(stage, template);
  const host = async (name: string): Promise<number> =>
    (await stage.post('hosts/', { name, inventory: stage.inventory })).body.id;
  return {
    ...stage,
    ...teller,
    writeSysctl: (values) => write('sysctl.yml', JSON.stringify(values)),
    async gather(variables = {}) {
      const { id } = await stage.launch(template, { extra_vars: variables });
      const { status, result_stdout: output } = await stage.ended(id);
      if (status !== 'successful') throw new Error(`job ${id} ${status}: ${output}`);
      await teller.settled();
      return id;
    },
    host,
    async drifted(name, ...states) {
      const id = await host(name);
      // in their order
      // oxlint-disable-next-line no-await-in-loop
      for (const facts of states) await teller.change(id, facts);
      return id;
    },
    async mailTemplate(port, name = 'mail') {
      const { status, text, body } = await stage.post('notification_templates/', {
        name,
        organization: 1,
        notification_type: 'email',
        notification_configuration: {
          host: '127.0.0.1',
          port,
          username: 'me',
          password: 'pass word',
          use_tls: false,
          use_ssl: false,
          sender: 'tapline@example.com',
          recipients: ['ops@example.com'],
          timeout: 10,
        },
      });
      if (status !== 201) throw new Error(`notification template: ${status} ${text}`);
      return body.id;
    },
    async all(path) {
      const { status, body, text } = await stage.get(`${path}${path.includes('?') ? '&' : '?'}page_size=200`);
      if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
      return body.results;
    },
  };
}

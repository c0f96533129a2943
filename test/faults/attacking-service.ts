import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';

/**
 * A callback of the project, which the engine loads into its main process: there the descriptor 3 is the file of the
 * events, and 1 that of the output. It does what stands in the variable ATTACK of the playbook's first play.
 */
const callback = `
import ctypes, os, subprocess, sys, time
from ansible.plugins.callback import CallbackBase


def write(fd, text):
    while text:
        text = text[os.write(fd, text):]


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'aggregate'
    CALLBACK_NAME = 'attack'

    def v2_playbook_on_play_start(self, play):
        attack = play.get_vars().get('attack')
        if attack:
            exec(str(attack), globals())
`;

const indented = (text: string) => text.trim().replaceAll('\n', '\n        ');

/** Plays that then go on for ever: whatever ends the run, it is not the playbook. */
const attackBook = (attack: string, tasks: string) => `- hosts: all
  gather_facts: false
  vars:
    attack: !unsafe |
        ${indented(attack)}
  tasks:
${tasks}
`;

export const waiting = '    - command: sleep 3600';

export interface AttackedService extends OutageService {
  /** Launches a job whose engine does this to itself; resolves to its id. */
  attack(code: string, options?: { tasks?: string; more?: object }): Promise<number>;
  job(id: number): Promise<any>;
  /** Waits for the end of a job. */
  ended(id: number, ms?: number): Promise<any>;
}

export async function startAttackedService(env: Record<string, string> = {}): Promise<AttackedService> {
  const service = await startOutageService(env);
  const folder = join(service.data, 'projects', 'faults', 'callback_plugins');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'attack.py'), callback);
  const job = async (id: number) => (await service.get(`jobs/${id}/`)).body;
  return {
    ...service,
    job,
    async attack(code, { tasks = waiting, more = {} } = {}) {
      const template = await service.template(attackBook(code, tasks), more);
      return (await service.post(`job_templates/${template}/launch/`)).body.job;
    },
    ended: (id, ms = 60_000) =>
      until(
        async () => {
          const found = await job(id);
          return found.event_processing_finished ? found : null;
        },
        ms,
        `the end of run ${id}`,
      ),
  };
}

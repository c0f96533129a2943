import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from '@tapline/plugin-sdk';
import { type Stage, startStage } from '../../../test/launch/fixture.ts';
import { until } from '../../../test/support/until.ts';
import drift from '../index.ts';

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

export interface DriftStage extends Stage {
  /** as a file of settings of the kernel would be changed on the hosts */
  writeSysctl(values: object): void;
  /** gathers facts of both hosts by a real run */
  gather(variables?: object): Promise<number>;
  /** a run that is not there for anything else than to have told of facts */
  run(): Promise<number>;
  /** Tells that a run found these facts, in place of those that the host has; `untold`: the word is returned and not sent. */
  learn(run: number, host: number, facts: object): Promise<{ old_hash: string | null; new_hash: string }>;
  tell(run: number, hosts: { host_id: number; old_hash: string | null; new_hash: string }[]): Promise<void>;
  /** until the queue has done all that drift gave it; `but`: reports that may wait */
  settled(waiting?: number): Promise<void>;
  host(name: string): Promise<number>;
  all(path: string): Promise<any[]>;
}

export async function startDrift(env: Record<string, string> = {}, others: Plugin[] = []): Promise<DriftStage> {
  const stage = await startStage(env, [drift, ...others]);
  const { db, queue } = stage.services;
  const folder = join(stage.dataDir, 'projects', 'stage');
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('gather.yml', gathering);
  const template = await stage.template({
    playbook: 'gather.yml',
    use_fact_cache: true,
    ask_variables_on_launch: true,
  });
  const all = async (path: string) => {
    const { status, body, text } = await stage.get(`${path}${path.includes('?') ? '&' : '?'}page_size=200`);
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return body.results;
  };
  const settled = async (waiting = 0) => {
    await until(async () => {
      const tasks = await db('tapline_jobs.jobs')
        .where('task_identifier', 'like', 'drift:%')
        .where('run_at', '<=', db.fn.now())
        .whereNot('task_identifier', 'drift:clean-up');
      const reports = await db('plugin_drift.reports');
      return tasks.length === 0 && reports.length === waiting;
    }, 120_000);
  };
  return {
    ...stage,
    all,
    settled,
    writeSysctl: (values) => write('sysctl.yml', JSON.stringify(values)),
    async gather(variables = {}) {
      const { id } = await stage.launch(template, { extra_vars: variables });
      const { status, result_stdout: output } = await stage.ended(id);
      if (status !== 'successful') throw new Error(`job ${id} ${status}: ${output}`);
      await settled();
      return id;
    },
    async run() {
      const { rows } = await db.raw(
        `insert into runs (kind, name, status, template_id, launch_type, organization_id, inventory_id, started, finished)
         select 'job', 'told', 'successful', id, 'manual', organization_id, inventory_id, now(), now() from templates where id = ? returning id`,
        [template],
      );
      return Number(rows[0].id);
    },
    async learn(run, host, facts) {
      const text = JSON.stringify(facts);
      const hash = createHash('sha256').update(text).digest('hex');
      const before = await db('host_facts').where({ host_id: host }).first('hash');
      await db.raw('insert into facts (hash, document) values (?, ?::jsonb) on conflict do nothing', [hash, text]);
      await db('host_facts')
        .insert({ host_id: host, hash, run_id: run })
        .onConflict('host_id')
        .merge({ hash, run_id: run, modified: db.fn.now() });
      return { old_hash: before?.hash ?? null, new_hash: hash };
    },
    tell: (run, hosts) => queue.addTasks(db, [{ name: 'drift:hook:take-reports', payload: { run_id: run, hosts } }]),
    async host(name) {
      const made = await stage.post('hosts/', { name, inventory: stage.inventory });
      return made.body.id;
    },
  };
}

import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ExecSpec } from '@tapline/plugin-sdk';
import { until } from '../support/until.ts';
import type { Effect, EffectStage } from './effects-api.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const play = (tasks: string) => `- hosts: good\n  gather_facts: false\n  tasks:\n${tasks}`;

/** Runs a playbook and resolves to its job with its output. */
export async function ran(stage: EffectStage, tasks: string, template: object = {}, body: object = {}) {
  const playbook = `effect${Math.random()}.yml`;
  writeFileSync(join(stage.dataDir, 'projects', 'stage', playbook), play(tasks));
  const job = await stage.launch(await stage.template({ playbook, ...template }), body);
  const ended = await stage.ended(job.id);
  return { ...ended, said: (await stage.get(`jobs/${job.id}/stdout/?format=txt`)).body as string };
}

const callbackPlugin = `
from ansible.plugins.callback import CallbackBase

DOCUMENTATION = '''
name: said_too
type: aggregate
short_description: says a sentence at the end
description: says a sentence at the end
'''


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'aggregate'
    CALLBACK_NAME = 'said_too'

    def v2_playbook_on_stats(self, stats):
        self._display.display('this was said by another plugin')
`;

/** What is executed meanwhile. */
async function started(stage: EffectStage, work: (seen: readonly ExecSpec[]) => Promise<void>): Promise<ExecSpec[]> {
  const { executor } = stage.services;
  const start = executor.start.bind(executor);
  const specs: ExecSpec[] = [];
  executor.start = (spec, ...rest) => {
    specs.push(spec);
    return start(spec, ...rest);
  };
  try {
    await work(specs);
    return specs;
  } finally {
    executor.start = start;
  }
}

/** Settings whose effect shows in runs. */
export const runEffects: Record<string, Effect> = {
  DEFAULT_JOB_TIMEOUT: async (stage) => {
    await stage.set('DEFAULT_JOB_TIMEOUT', 2);
    const job = await ran(stage, '    - command: sleep 600\n');
    expect(job.status).to.equal('failed');
    expect(job.job_explanation).to.match(/timeout/);
  },
  DEFAULT_JOB_IDLE_TIMEOUT: async (stage) => {
    await stage.set('DEFAULT_JOB_IDLE_TIMEOUT', 2);
    const job = await ran(stage, '    - command: sleep 600\n');
    expect(job.job_explanation).to.contain('said nothing for 2 s').and.to.contain('DEFAULT_JOB_IDLE_TIMEOUT');
    expect(job.status).to.equal('failed');
  },
  AWX_TASK_ENV: async (stage) => {
    expect(await stage.set('AWX_TASK_ENV', { 'no name': 'x' })).to.equal(400);
    await stage.set('AWX_TASK_ENV', { A_WORD: 'from the setting', JOB_ID: 'not mine' });
    const job = await ran(
      stage,
      '    - shell: echo "$A_WORD, $JOB_ID"\n      register: said\n    - debug: {var: said.stdout}\n',
    );
    expect(job.said).to.contain(`from the setting, ${job.id}`);
    await stage.set('AWX_TASK_ENV', { LD_PRELOAD: '/x.so' });
    expect((await ran(stage, '    - debug: {msg: never}\n')).job_explanation).to.contain('LD_PRELOAD may not be set');
  },
  AWX_ANSIBLE_CALLBACK_PLUGINS: async (stage) => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-callbacks-'));
    try {
      chmodSync(folder, 0o755);
      writeFileSync(join(folder, 'said_too.py'), callbackPlugin);
      expect(await stage.set('AWX_ANSIBLE_CALLBACK_PLUGINS', ['here'])).to.equal(400);
      await stage.set('AWX_ANSIBLE_CALLBACK_PLUGINS', [folder]);
      const job = await ran(stage, '    - debug: {msg: small}\n');
      expect(job.said).to.contain('this was said by another plugin');
      expect(job.status).to.equal('successful');
    } finally {
      removeFolder(folder);
    }
  },
  ALLOW_JINJA_IN_EXTRA_VARS: async (stage) => {
    const say = (variables: object) =>
      ran(
        stage,
        '    - debug: {msg: "said {{ who }}"}\n',
        { ask_variables_on_launch: true },
        { extra_vars: variables },
      );
    expect((await say({ who: '{{ 6 * 7 }}' })).said).to.include('said {{ 6 * 7 }}');
    await stage.set('ALLOW_JINJA_IN_EXTRA_VARS', 'always');
    expect((await say({ who: '{{ 6 * 7 }}' })).said).to.include('said 42');
  },
  AWX_ISOLATION_SHOW_PATHS: async (stage) => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-shown-'));
    try {
      chmodSync(folder, 0o755);
      writeFileSync(join(folder, 'note.txt'), 'seen from inside');
      const read = (at: string) =>
        ran(stage, `    - command: cat ${at}/note.txt\n      register: note\n    - debug: {var: note.stdout}\n`);
      await stage.set('AWX_ISOLATION_SHOW_PATHS', [`${folder}:${folder}:ro`]);
      expect((await read(folder)).said).to.include('seen from inside');
      // without bubblewrap every path stands where it is
      if ((await stage.services.engineTool.isolation()).mode !== 'bubblewrap') return;
      await stage.set('AWX_ISOLATION_SHOW_PATHS', [`${folder}:/shown/here:ro`]);
      expect((await read('/shown/here')).said).to.include('seen from inside');
    } finally {
      removeFolder(folder);
    }
  },
  MAX_EVENT_RES_DATA: async (stage) => {
    const results = async () => {
      const { id } = await ran(stage, `    - debug: {msg: "${'x'.repeat(3000)}"}\n`);
      return (await stage.get(`jobs/${id}/job_events/?event=runner_on_ok`)).body.results[0].event_data.res ?? {};
    };
    expect(await results()).to.have.property('msg');
    await stage.set('MAX_EVENT_RES_DATA', 1000);
    expect(await results()).to.not.have.property('msg');
    const statistics = `    - set_stats: {data: {long: "${'x'.repeat(3000)}"}}\n`;
    expect((await ran(stage, statistics)).artifacts).to.deep.equal({
      left_out: 'more than the 1000 bytes of MAX_EVENT_RES_DATA',
    });
  },
  // what the engine does at the limit is for the executor's own tests
  SPOOL_LIMIT_BYTES: async (stage) => {
    await stage.set('SPOOL_LIMIT_BYTES', 2_000_000);
    const specs = await started(stage, async () => {
      expect((await ran(stage, '    - debug: {msg: small}\n')).status).to.equal('successful');
    });
    expect(specs.map(({ spool_limit_bytes: limit }) => limit)).to.deep.equal([2_000_000]);
  },
  DEFAULT_INVENTORY_UPDATE_TIMEOUT: async (stage) => {
    const source = { name: 'of a cloud', inventory: stage.inventory, source: 'ec2' };
    const { body, status } = await stage.post('inventory_sources/', source);
    expect(status, JSON.stringify(body)).to.equal(201);
    await stage.set('DEFAULT_INVENTORY_UPDATE_TIMEOUT', 77);
    const specs = await started(stage, async (seen) => {
      expect((await stage.post(`inventory_sources/${body.id}/update/`)).status).to.equal(202);
      await until(() => seen.length > 0);
    });
    expect(specs.map(({ timeout_s: limit }) => limit)).to.deep.equal([77]);
  },
  ENGINE_FACT_CACHE_TIMEOUT: async (stage) => {
    const say = () =>
      ran(stage, '    - debug: {msg: "marked {{ ansible_facts.marker | default(0) }}"}\n', { use_fact_cache: true });
    await ran(stage, '    - set_fact: {marker: 7, cacheable: true}\n', { use_fact_cache: true });
    expect((await say()).said).to.include('marked 7');
    const { db } = stage.services;
    await db('host_facts').update({ modified: db.raw(`now() - interval '1 hour'`) });
    await stage.set('ENGINE_FACT_CACHE_TIMEOUT', 60);
    expect((await say()).said).to.include('marked 0');
  },
  FACTS_MAX_BYTES: async (stage) => {
    const run = (tasks: string) => ran(stage, tasks, { use_fact_cache: true });
    await run(`    - set_fact: {long: "{{ 'x' * 1100000 }}", cacheable: true}\n`);
    await stage.set('FACTS_MAX_BYTES', 1_000_000);
    const { status, job_explanation } = await run('    - debug: {msg: never}\n');
    expect(job_explanation).to.include('1000000 bytes of FACTS_MAX_BYTES');
    expect(status).to.equal('failed');
    await stage.services.db('host_facts').delete();
  },
};

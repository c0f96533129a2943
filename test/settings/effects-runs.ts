import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Effect, EffectStage } from './effects-api.ts';

const play = (tasks: string) => `- hosts: good\n  gather_facts: false\n  tasks:\n${tasks}`;

/** Runs a playbook and resolves to its job with its output. */
async function ran(stage: EffectStage, tasks: string, template: object = {}, body: object = {}) {
  const playbook = `effect${Math.random()}.yml`;
  writeFileSync(join(stage.dataDir, 'projects', 'stage', playbook), play(tasks));
  const job = await stage.launch(await stage.template({ playbook, ...template }), body);
  const ended = await stage.ended(job.id);
  return { ...ended, said: (await stage.get(`jobs/${job.id}/stdout/?format=txt`)).body as string };
}

/** Settings whose effect shows in runs. */
export const runEffects: Record<string, Effect> = {
  DEFAULT_JOB_TIMEOUT: async (stage) => {
    await stage.set('DEFAULT_JOB_TIMEOUT', 2);
    const job = await ran(stage, '    - command: sleep 60\n');
    expect(job.status).to.equal('failed');
    expect(job.job_explanation).to.match(/timeout/);
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
      rmSync(folder, { recursive: true });
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
  },
  // what the engine does at the limit is for the executor's own tests
  SPOOL_LIMIT_BYTES: async (stage) => {
    const { executor } = stage.services;
    const start = executor.start.bind(executor);
    const limits: unknown[] = [];
    executor.start = (spec, ...rest) => {
      limits.push(spec.spool_limit_bytes);
      return start(spec, ...rest);
    };
    try {
      await stage.set('SPOOL_LIMIT_BYTES', 2_000_000);
      expect((await ran(stage, '    - debug: {msg: small}\n')).status).to.equal('successful');
      expect(limits).to.deep.equal([2_000_000]);
    } finally {
      executor.start = start;
    }
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
};

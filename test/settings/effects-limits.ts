import { expect } from 'chai';
import { runLimits } from '../../core/runner/limits/run-limits.ts';
import type { Effect } from './effects-api.ts';
import { ran } from './effects-runs.ts';

/** The engine sees the limit, as the kernel names it. */
const ofProcesses =
  (key: string, value: number, line: string): Effect =>
  async (stage) => {
    await stage.set(key, value);
    const { said } = await ran(
      stage,
      '    - command: cat /proc/self/limits\n      register: seen\n    - debug: {var: seen.stdout_lines}\n',
    );
    expect(said).to.match(new RegExp(`${line} +\\d+ +${value} `));
  };

/** A run that goes beyond it fails, and says by which setting. */
const ofRuns =
  (key: string, value: number, tasks: string): Effect =>
  async (stage) => {
    await stage.set(key, value);
    const job = await ran(stage, `${tasks}    - command: sleep 600\n`);
    expect(job.job_explanation).to.contain(key);
    expect(job.status).to.equal('failed');
  };

/** What the kernel does at the limit is for the executor's own tests. */
const ofGroups: Effect = async (stage) => {
  await stage.set('RUN_MAX_MEMORY_BYTES', 77_000_000);
  expect(runLimits(stage.services.settings).group.memory).to.equal(77_000_000);
};

/** What one run may take. */
export const limitEffects: Record<string, Effect> = {
  ENGINE_MAX_PROCESSES: ofProcesses('ENGINE_MAX_PROCESSES', 1234, 'Max processes'),
  ENGINE_MAX_MEMORY_BYTES: ofProcesses('ENGINE_MAX_MEMORY_BYTES', 4_000_000_000, 'Max data size'),
  RUN_MAX_MEMORY_BYTES: ofGroups,
  ENGINE_MAX_FILE_BYTES: ofProcesses('ENGINE_MAX_FILE_BYTES', 5_000_000, 'Max file size'),
  ENGINE_MAX_OPEN_FILES: ofProcesses('ENGINE_MAX_OPEN_FILES', 333, 'Max open files'),
  RUN_MAX_OUTPUT_BYTES: ofRuns('RUN_MAX_OUTPUT_BYTES', 10_000, `    - debug: {msg: "${'x'.repeat(20_000)}"}\n`),
  RUN_MAX_EVENT_BYTES: ofRuns('RUN_MAX_EVENT_BYTES', 10_000, `    - debug: {msg: "${'x'.repeat(20_000)}"}\n`),
  RUN_MAX_EVENTS: ofRuns('RUN_MAX_EVENTS', 100, '    - debug: {msg: many}\n      loop: "{{ range(200) | list }}"\n'),
};

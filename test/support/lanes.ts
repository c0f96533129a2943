import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../core/config/config.ts';
import { nothingYet, type TestResult } from './reporter.ts';
import { longestFirst } from './slow-files.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** Tests mostly wait for somebody: one more than there are cores, as the memory of most machines allows. */
const lanes = Number(process.env.TEST_LANES) || Math.min(availableParallelism() + 1, 6);

/** Shares the files among processes: whichever is free takes the next, so that none ends long after the others. What a file says is shown when it has ended. */
export async function runInLanes(files: readonly string[], env: NodeJS.ProcessEnv, most = lanes): Promise<TestResult> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-output-'));
  const waiting = longestFirst(files);
  const total = nothingYet();
  const work = async (_: unknown, index: number) => {
    let lane: Lane | undefined;
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      if (lane?.gone) {
        add(total, await lane.end());
        lane = undefined;
      }
      lane ??= new Lane(join(folder, String(index)), env);
      add(total, await lane.run(file));
    }
    if (lane) add(total, await lane.end());
  };
  const stop = () => void waiting.splice(0);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  await Promise.all(Array.from({ length: Math.min(most, files.length) }, work));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  removeFolder(folder);
  return total;
}

function add(total: TestResult, one: TestResult): void {
  total.passed += one.passed;
  total.failed += one.failed;
  total.skipped.push(...one.skipped);
  total.failures.push(...one.failures);
  Object.assign(total.milliseconds, one.milliseconds);
}

const failed = (why: string): TestResult => ({ ...nothingYet(), failed: 1, failures: [why] });

const tail = (log: string[]) =>
  log
    .slice(-20)
    .map((line) => `    ${line.slice(0, 600)}`)
    .join('\n');

class Lane {
  readonly #child: ChildProcess;
  readonly #output: string;
  readonly #ended: Promise<string>;
  #shown = 0;
  /** the last one it was given: what is left of a file may end the process after its result was told */
  #file = '';
  #blamed = false;
  /** its process has ended */
  gone = false;

  constructor(output: string, env: NodeJS.ProcessEnv) {
    this.#output = output;
    const to = openSync(output, 'w');
    this.#child = fork(join(root, 'test', 'support', 'lane.ts'), [], {
      cwd: root,
      env,
      stdio: ['ignore', to, to, 'ipc'],
    });
    closeSync(to);
    const forward = (signal: NodeJS.Signals) => this.#child.kill(signal);
    process.on('SIGINT', forward).on('SIGTERM', forward);
    this.#ended = new Promise((resolve) => {
      this.#child.on('error', (error) => resolve(error.message));
      this.#child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    void this.#ended.then(() => {
      this.gone = true;
      process.off('SIGINT', forward).off('SIGTERM', forward);
    });
  }

  async run(file: string): Promise<TestResult> {
    this.#file = file;
    const told = await Promise.race([this.#told(file), this.#ended]);
    this.#blamed = typeof told === 'string';
    const result =
      typeof told === 'string' ? failed(`${file}: its process ended (${told}); what it said is above`) : told;
    const log = this.#show(file);
    // a file without a test proves nothing
    if (result.passed + result.failed + result.skipped.length === 0) return failed(`${file}: no test ran`);
    if (result.failed > 0 && log.length > 0)
      result.failures.push(`${file}, the end of its services' log:\n${tail(log)}`);
    return result;
  }

  #told(file: string): Promise<TestResult> {
    return new Promise((resolve) => {
      this.#child.once('message', (result) => resolve(result as TestResult));
      if (!this.gone) this.#child.send({ file }, () => undefined);
    });
  }

  /** Shows what was said since, but for the log, which is returned: tests provoke much of what it warns of. */
  #show(title: string): string[] {
    const said = readFileSync(this.#output);
    const lines = said.subarray(this.#shown).toString().split('\n');
    this.#shown = said.length;
    const { log = [], listing = [] } = Object.groupBy(lines, (line) =>
      line.startsWith('{"level":') ? 'log' : 'listing',
    );
    if (listing.some((line) => line !== '')) console.log(`== ${title}\n${listing.join('\n')}`);
    return log;
  }

  /** Ends the process. A failure where it ended otherwise, or before it was told to. */
  async end(): Promise<TestResult> {
    const unasked = this.gone;
    this.#child.send({}, () => undefined);
    const how = await this.#ended;
    const log = this.#show('the end of its process');
    if (this.#blamed || (how === 'exit code 0' && !unasked)) return nothingYet();
    const when = unasked ? 'by itself' : 'when it was told to';
    return failed(`${this.#file}: its process ended ${when} (${how}) after the tests of this file:\n${tail(log)}`);
  }
}

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SourceRepository } from '../../test/scm/repository.ts';
import { prepare } from '../lib/content.ts';
import { progress } from '../lib/progress.ts';
import { takeNoJobs } from '../lib/ready-to-launch.ts';
import { Service } from '../lib/service.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';
import { timed } from '../lib/timed.ts';

const launches = Number(process.env['BENCH_ROUNDS'] ?? 200);
const scans = Math.ceil(launches / 5);
const warmUp = 10;

/** A tool that lives for a while, and says in nanoseconds from when to when: the real ones do not tell. */
const tool = `#!/bin/sh
date +%s%N >&2
sleep 0.2
echo '[]'
date +%s%N >&2
`;

interface Side {
  service: Service;
  launch(): Promise<unknown>;
}

const playbook = `---
- name: Say hello
  hosts: all
  tasks:
    - name: Say it
      ansible.builtin.debug:
        msg: hello
`;

/** A service with a template of a project in git, whose node takes no jobs from then on. */
async function sideOf(source: SourceRepository, env: Record<string, string>): Promise<Side> {
  const service = new Service({
    TAPLINE_PLUGINS: 'scanning',
    TAPLINE_PROJECT_FILE_URLS: dirname(source.folder),
    ...env,
  });
  try {
    await service.start();
    const { template } = await prepare(service, { 'x.yml': '- hosts: all\n' });
    const { id: project } = await service.call('POST', 'projects/', {
      name: 'Source',
      organization: 1,
      scm_type: 'git',
      scm_url: source.url,
    });
    while ((await service.call('GET', `projects/${project}/`)).status !== 'successful') await delay(100);
    await takeNoJobs(service);
    const id = await template('Launched', 'site.yml', { project, allow_simultaneous: true });
    return { service, launch: () => service.call('POST', `job_templates/${id}/launch/`, {}) };
  } catch (error) {
    if (service.process) await service.stop();
    throw error;
  }
}

/** A scanner by the real linter, whose answer about the project's commit is known. */
async function knownSide(source: SourceRepository): Promise<Side> {
  const side = await sideOf(source, { TAPLINE_SCANNER_ENABLED: 'true' });
  await side.service.call('POST', 'scanners/', { name: 'lint', tool: 'playbook_lint', severity_threshold: 'critical' });
  await side.launch();
  return side;
}

async function unknownSide(source: SourceRepository, script: string): Promise<Side> {
  const commands = JSON.stringify({ playbook_lint: script });
  const side = await sideOf(source, {
    TAPLINE_SCANNER_ENABLED: 'true',
    TAPLINE_SCANNER_COMMANDS: commands,
    TAPLINE_SCANNER_CACHE_DAYS: '0',
  });
  await side.service.call('POST', 'scanners/', { name: 'script', tool: 'playbook_lint' });
  return side;
}

const resultsOf = async ({ service }: Side, most: number): Promise<any[]> =>
  (await service.call('GET', `scan_results/?order_by=-id&page_size=${most}`)).results;

/** @throws where something else was measured than scans that found nothing */
function assertOk(results: readonly any[], wanted: number): void {
  const other = results.find(({ status }) => status !== 'ok');
  if (other) throw new Error(`a scan ended as ${other.status}: ${other.message}`);
  if (results.length !== wanted) throw new Error(`${results.length} of ${wanted} launches were scanned`);
}

/** Milliseconds that the tool of a result lived. */
function lifetime({ raw_output: said }: { raw_output: string }): number {
  const [from, to] = said
    .split('\n')
    .filter((line) => /^\d+$/.test(line))
    .map(BigInt);
  return Number(to! - from!) / 1e6;
}

/** What scans that run their tool add to a launch beside the time that the tool lives. */
async function added(bare: Side, unknown: Side): Promise<Figure> {
  const took: number[] = [];
  const without: number[] = [];
  for (let n = -warmUp; n < scans; n += 1) {
    const [first, second] = [await timed(bare.launch), await timed(unknown.launch)];
    if (n < 0) continue;
    without.push(first);
    took.push(second);
  }
  const results = (await resultsOf(unknown, scans)).toReversed();
  assertOk(results, scans);
  const details = await Promise.all(results.map(({ url }) => unknown.service.call('GET', url)));
  const lived = details.map(lifetime);
  const more = took.map((all, index) => all - lived[index]! - without[index]!);
  const detail = `added ${spread(more, 'ms')}; the tool lived ${spread(lived, 'ms')}; without ${spread(without, 'ms')}`;
  return figure('scan', "added to a launch beside the tool's life", median(more), 'ms', '<=', 150, detail);
}

/** What a scan adds to a launch whose answer is known. */
async function known(bare: Side, warm: Side): Promise<Figure> {
  const [took, without]: [number[], number[]] = [[], []];
  for (let n = -warmUp; n < launches; n += 1) {
    if (n % 50 === 0) progress(`launch ${n} of ${launches}`);
    const sides = n % 2 ? [bare, warm] : [warm, bare];
    for (const side of sides) {
      const ms = await timed(side.launch);
      if (n >= 0) (side === warm ? took : without).push(ms);
    }
  }
  const wanted = Math.min(200, launches);
  const results = await resultsOf(warm, wanted);
  assertOk(results, wanted);
  const asked = results.filter(({ duration_ms: ms }) => ms > 200).length;
  if (asked) throw new Error(`${asked} launches ran the tool again`);
  const more = took.map((all, index) => all - without[index]!);
  const detail = `with ${spread(took, 'ms')}; without ${spread(without, 'ms')}`;
  return figure('scan', 'an answer that is known, added to a launch', median(more), 'ms', '<=', 10, detail);
}

/** POST to answer of launches of a project in git, without scanners, with one that runs its tool, and with one that knows. */
export async function scan(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tapline-tool-'));
  chmodSync(folder, 0o755);
  const script = join(folder, 'tool');
  writeFileSync(script, tool, { mode: 0o755 });
  const source = new SourceRepository(mkdtempSync(join(folder, 'source-')));
  source.commit({ 'site.yml': playbook });
  const sides: Side[] = [];
  const opened = async (side: Promise<Side>) => {
    sides.push(await side);
    return sides.at(-1)!;
  };
  try {
    const bare = await opened(sideOf(source, {}));
    const beside = await added(bare, await opened(unknownSide(source, script)));
    return [beside, await known(bare, await opened(knownSide(source)))];
  } finally {
    for (const { service } of sides) await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

import { type Denial, type Launch, type LaunchContent, type PluginApi, stages } from '@tapline/plugin-sdk';
import { applyBaseline } from '../baseline.ts';
import { ScanError, type Scanner } from '../scanner.ts';
import { type Work, worksOf } from '../works.ts';
import type { Scan, Scanned } from '../scan.ts';
import { selectScanners } from '../select-scanners.ts';
import { scanSettings } from '../settings.ts';
import { type Found, storeResults } from '../store-results.ts';

// each scanner has its own limit; this leaves room for a fetch of the project
const timeoutMs = 600_000;
/** The whole explanation of a run is cut to so many characters (specification, "Launch-time scanning"). */
const cut = 1024;
const mostReasons = 50;

/** After policies, before the start: what would run is scanned at the very commit that then runs. */
export function scanLaunch(api: PluginApi, scan: Scan): void {
  const options = {
    name: 'scan-launch',
    stage: stages.scanning,
    failMode: 'deny',
    timeoutMs,
    asleep: () => !scanSettings(api).enabled,
  } as const;
  api.hooks.beforeStart(options, async (launch) => {
    if (!scanSettings(api).enabled) return undefined;
    const scanners = await selectScanners(api, launch);
    if (!scanners.length) return undefined;
    const scanned = await scanAll(api, launch, scanners, scan);
    if (!scanned.length) return undefined;
    return judge(api, launch, scanned);
  });
}

/** Of a workflow all that its nodes will run; commands and workflows without playbooks have no files. */
async function scanAll(api: PluginApi, launch: Launch, scanners: readonly Scanner[], scan: Scan): Promise<Found[]> {
  const found: OfNode[] = [];
  for (const work of await worksOf(launch)) {
    // each of them starts programs, as many as there are scanners
    // oxlint-disable-next-line no-await-in-loop
    found.push(...(await Promise.all(scanners.map((scanner) => scanWork(api, launch, { scanner, scan, work })))));
  }
  if (!found.length) return [];
  const results = (await applyBaseline(api, found)).map(({ node, ...result }) => ({
    ...result,
    message: node && result.message ? `${node}: ${result.message}`.slice(0, 500) : result.message,
  }));
  await storeResults(api, launch, results);
  return results;
}

type OfNode = Found & Pick<Work, 'node'>;

interface Asked {
  scanner: Scanner;
  scan: Scan;
  work: Work;
}

const scanWork = (api: PluginApi, launch: Launch, { scanner, scan, work }: Asked): Promise<OfNode> =>
  api.tracer.span('scanning.scan', async (span) => {
    const { content, node } = work;
    const result = await scanOne(launch, scanner, scan, content);
    span.set({ scanner: scanner.id, tool: scanner.tool, status: result.status });
    const [revision, project_id] = content instanceof ScanError ? ['', null] : [content.revision, content.project.id];
    return { ...result, node, revision, project_id };
  });

function scanOne(
  { signal }: Launch,
  scanner: Scanner,
  scan: Scan,
  content: LaunchContent | ScanError,
): Scanned | Promise<Scanned> {
  const failed = (message: string): Scanned => ({
    scanner,
    status: 'error',
    duration_ms: 0,
    findings: [],
    message,
    raw_output: '',
  });
  if (content instanceof ScanError) return failed(`The files could not be had: ${content.message}`.slice(0, 500));
  const [entry] = content.entries;
  if (entry === undefined) return failed('The launch names no playbook.');
  return scan(scanner, { folder: content.folder, entry }, { revision: content.revision, signal });
}

function judge(api: PluginApi, launch: Launch, scanned: readonly Scanned[]): Denial | undefined {
  const { failMode } = scanSettings(api);
  const failed = scanned.filter(({ status }) => status === 'error' || status === 'timeout');
  const blocking = [...scanned.filter(({ status }) => status === 'blocked'), ...(failMode === 'deny' ? failed : [])];
  if (blocking.length)
    return {
      status: 403,
      body: {
        detail: 'Scanner blocked launch.',
        reasons: blocking.slice(0, mostReasons).map(({ message }) => message),
      },
    };
  const warnings = [...scanned.filter(({ status }) => status === 'warn'), ...failed].map(({ message }) => message);
  if (warnings.length) launch.explain(`Scan warnings: ${warnings.join('; ')}`, { cut });
  return undefined;
}

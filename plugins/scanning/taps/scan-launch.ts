import { type Denial, type Launch, type PluginApi, stages } from '@tapline/plugin-sdk';
import { applyBaseline } from '../baseline.ts';
import { ScanError, type Scanner } from '../scanner.ts';
import { worksOf } from '../works.ts';
import type { Scan } from '../scan.ts';
import { scannersOf } from '../select-scanners.ts';
import { scanSettings } from '../settings.ts';
import { type Found, storeResults } from '../store-results.ts';
import type { Scanned } from '../verdict.ts';

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
    const scanners = await scannersOf(api, launch);
    if (!scanners.length) return undefined;
    const scanned = await scanAll(api, launch, scanners, scan);
    if (!scanned.length) return undefined;
    return judge(api, launch, scanned);
  });
}

/** Of a workflow all that its nodes will run; commands and workflows without playbooks have no files. */
async function scanAll(api: PluginApi, launch: Launch, scanners: readonly Scanner[], scan: Scan): Promise<Found[]> {
  const works = await worksOf(() => launch.contents());
  if (!works.length) return [];
  const found = (await scan(scanners, works, launch.signal)).map(({ work: { source, node }, ...result }) => {
    const [revision, project_id] = source instanceof ScanError ? ['', null] : [source.revision, source.project.id];
    return { ...result, node, revision, project_id };
  });
  const results = (await applyBaseline(api, found)).map(({ node, ...result }) => ({
    ...result,
    message: node && result.message ? `${node}: ${result.message}`.slice(0, 500) : result.message,
  }));
  await storeResults(api, launch, results);
  return results;
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

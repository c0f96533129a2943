import { type PluginApi, z } from '@tapline/plugin-sdk';
import { keepsAnswers } from '../answers.ts';
import type { Scan } from '../scan.ts';
import type { Scanner } from '../scanner.ts';
import { selectScanners } from '../select-scanners.ts';
import { scanSettings } from '../settings.ts';
import { settled } from '../works.ts';

const timeoutMs = 900_000;
/** Then the rest is another task: what a single playbook may take besides stays within the limit. */
const turnMs = 240_000;

/** When a project has been updated its templates' playbooks are scanned, so that their launches find what tools say of them. */
export function scanProject(api: PluginApi, scan: Scan): void {
  const asleep = () => !scanSettings(api).enabled || !keepsAnswers(api);
  const options = { schema: z.object({ project: z.int(), from: z.int() }), maxAttempts: 3, priority: 100, timeoutMs };
  const task = api.task('scan-project', options, async ({ project, from }, { signal }) => {
    if (asleep()) return;
    const scanners = await scannersOfProject(api, project);
    if (!scanners.length) return;
    const until = api.clock.now().getTime() + turnMs;
    const next = await api.contents.ofProject(project, { signal }, async (works) => {
      for (const [index, work] of works.entries()) {
        if (index < from) continue;
        if (index > from && api.clock.now().getTime() > until) return index;
        // one playbook after the other: launches want the machine as well
        // oxlint-disable-next-line no-await-in-loop
        await scan(scanners, [await settled(work)], signal);
        signal.throwIfAborted();
      }
      return undefined;
    });
    if (next !== undefined) await task.enqueue(api.db, { project, from: next });
  });
  api.hooks.onStatusChange(
    { name: 'scan-updated-project', kinds: ['project_update'], to: ['successful'], asleep },
    ({ template_id: project }) => (project === null ? undefined : task.enqueue(api.db, { project, from: 0 })),
  );
}

/** Launches of templates and of workflows run its playbooks. */
async function scannersOfProject(api: PluginApi, project: number): Promise<Scanner[]> {
  const row = await api.db('core_projects').where({ id: project }).first('organization_id');
  if (!row) return [];
  return selectScanners(api, {
    organization: row.organization_id as number | null,
    types: ['job_template', 'workflow_job_template'],
  });
}

import { t } from '../texts/t.ts';
/** A kind of runs: how it is called, and whether it says anything. */
interface RunKind {
  /** of its runs, in the console and below /api/v2/ */
  path: string;
  noun: string;
  /** the list of its events below a run; null where it only waits for people */
  events: string | null;
}

/** By `type`. */
export const runKinds: Readonly<Record<string, RunKind>> = {
  job: { path: 'jobs', noun: t`Job`, events: 'job_events/' },
  project_update: { path: 'project_updates', noun: t`Project update`, events: 'events/' },
  inventory_update: { path: 'inventory_updates', noun: t`Inventory update`, events: 'events/' },
  ad_hoc_command: { path: 'ad_hoc_commands', noun: t`Command`, events: 'events/' },
  system_job: { path: 'system_jobs', noun: t`System job`, events: 'events/' },
  workflow_approval: { path: 'workflow_approvals', noun: t`Approval`, events: null },
  workflow_job: { path: 'workflow_jobs', noun: t`Workflow job`, events: null },
};

/** Also of a kind that a plugin brings, which nobody here knows. */
export const kindAt = (path: string): RunKind =>
  Object.values(runKinds).find((kind) => kind.path === path) ?? { path, noun: t`Run`, events: 'events/' };

/** Where a run is shown. */
export function runPath({ type, id, url }: { type: string; id: number; url: string }): string {
  const known = runKinds[type];
  return known ? `/${known.path}/${id}` : `/runs/${url.split('/').at(-3)}/${id}`;
}

/** `inventory_update` → `Inventory update` */
export const runNoun = (type: string): string =>
  runKinds[type]?.noun ?? (type.charAt(0).toUpperCase() + type.slice(1)).replaceAll('_', ' ');

import type { RunKind, Shown } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { hostCounters } from '../events/host-counters.ts';
import { jobKeys, summaryKeys } from './job-stub.ts';

const mostHosts = 1000;

export interface Source {
  status?: string;
  started?: string | null;
  finished?: string | null;
  variables?: Readonly<Record<string, string>>;
}

interface HostCounts {
  host_name: string;
  [count: string]: unknown;
}

export const hostsOf = (db: Knex, run: number): Promise<HostCounts[]> =>
  db('job_host_summaries')
    .where({ run_id: run })
    .orderBy('id')
    .limit(mostHosts)
    .select('host_name', 'failed', ...hostCounters);

const pick = (from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));

/** `AdHoc Command` */
const friendlyName = ({ resource, notifies }: RunKind): string =>
  notifies?.name ?? resource.label.replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());

const nameIn = (summaries: Record<string, unknown>, key: string): string | null =>
  (summaries[key] as { name?: string } | undefined)?.name ?? null;

interface Told {
  kind: RunKind;
  run: Shown;
  event: string;
  hosts: readonly HostCounts[];
  /** what its kind adds */
  metadata: Record<string, unknown> | undefined;
  source: Source;
  /** of the web client */
  base: string;
}

/** Of a source that says nothing of it, the run's own. */
function timeOf(run: Shown, source: Source, name: 'started' | 'finished'): unknown {
  const then = source[name];
  if (then === undefined) return run[name];
  return then === null ? null : new Date(then).toISOString();
}

/** What the templates of a notification may read (contract D3, D5). */
export function contextOf({ kind, run, event, hosts, metadata, source, base }: Told): Record<string, unknown> {
  const { status = run['status'], variables } = source;
  const [started, finished] = [timeOf(run, source, 'started'), timeOf(run, source, 'finished')];
  // a start that is told late is still one
  const failed = source.status === undefined ? run['failed'] : event === 'error';
  const then = { ...run, status, started, finished, failed };
  const url = `${base}/#/jobs/${kind.notifies?.page ?? kind.kind}/${run.id}`;
  const summary_fields = Object.fromEntries(
    Object.entries(summaryKeys)
      .filter(([name]) => run.summary_fields[name])
      .map(([name, keys]) => [name, pick(run.summary_fields[name] as Record<string, unknown>, keys)]),
  );
  const job = { ...pick(then, jobKeys), hosts: hosts.map(({ host_name: name }) => name), summary_fields };
  return {
    job,
    job_friendly_name: friendlyName(kind),
    url,
    job_metadata: JSON.stringify({ ...metadataOf(then, { url, hosts }), ...metadata }, null, 4),
    ...variables,
  };
}

function metadataOf(run: Shown, { url, hosts }: { url: string; hosts: readonly HostCounts[] }): object {
  const { summary_fields: summaries } = run;
  const credentials = summaries['credentials'] as { name: string }[] | undefined;
  return {
    id: run.id,
    name: run['name'],
    url,
    created_by: (summaries['created_by'] as { username?: string } | undefined)?.username ?? '',
    started: run['started'] ?? null,
    finished: run['finished'] ?? null,
    status: run['status'],
    traceback: run['result_traceback'] ?? '',
    ...(Object.hasOwn(run, 'inventory') && { inventory: nameIn(summaries, 'inventory') }),
    ...(Object.hasOwn(run, 'project') && { project: nameIn(summaries, 'project') }),
    ...pick(run, ['playbook', 'limit', 'extra_vars']),
    ...(Object.hasOwn(run, 'playbook') && {
      credential: credentials?.[0]?.name ?? null,
      hosts: Object.fromEntries(hosts.map(({ host_name: name, ...counts }) => [name, counts])),
    }),
  };
}

import type { Knex } from 'knex';
import type { Variables } from '../../../yaml/variables.ts';

/** How the hosts of a job went, as artifacts (contract B7): whether any changed or failed, and which did and did not. */
const flags = ['svc_stats_changed', 'svc_stats_failed', 'svc_stats_hosts_truncated'];
const lists = [
  'svc_stats_changed_hosts',
  'svc_stats_non_changed_hosts',
  'svc_stats_failed_hosts',
  'svc_stats_non_failed_hosts',
];

/** Hosts that are named of a job, and in a merged list. */
const mostHosts = 1000;

interface HostStats {
  host_name: string;
  changed: boolean;
  failed: boolean;
}

/** {} for what ran on no hosts. */
export async function statsOf(trx: Knex, run: number): Promise<Variables> {
  const hosts: HostStats[] = await trx('job_host_summaries')
    .where({ run_id: run })
    .orderBy('host_name')
    .limit(mostHosts + 1)
    .select('host_name', 'failed', trx.raw('changed > 0 as changed'));
  if (!hosts.length) return {};
  const truncated = hosts.length > mostHosts;
  // those that were left out count as well
  const any = truncated
    ? await trx('job_host_summaries')
        .where({ run_id: run })
        .first(trx.raw('bool_or(changed > 0) as changed, bool_or(failed) as failed'))
    : { changed: hosts.some(({ changed }) => changed), failed: hosts.some(({ failed }) => failed) };
  const named = hosts.slice(0, mostHosts);
  const names = (are: (host: HostStats) => boolean) => named.filter(are).map(({ host_name: name }) => name);
  return {
    svc_stats_changed: any.changed,
    svc_stats_failed: any.failed,
    svc_stats_hosts_truncated: truncated,
    svc_stats_changed_hosts: names(({ changed }) => changed),
    svc_stats_non_changed_hosts: names(({ changed }) => !changed),
    svc_stats_failed_hosts: names(({ failed }) => failed),
    svc_stats_non_failed_hosts: names(({ failed }) => !failed),
  };
}

/** Of nodes side by side: true where one of them says so, and all hosts of all of them. */
export function mergedStats(siblings: readonly Variables[]): Variables {
  const merged: Variables = {};
  for (const name of lists) {
    const found = siblings.flatMap(({ [name]: hosts }) => (Array.isArray(hosts) ? [hosts] : []));
    const all = [...new Set(found.flat())];
    if (found.length) merged[name] = all.slice(0, mostHosts);
    if (all.length > mostHosts) merged['svc_stats_hosts_truncated'] = true;
  }
  for (const name of flags) {
    const said = siblings.flatMap(({ [name]: flag }) => (typeof flag === 'boolean' ? flag : []));
    if (said.length) merged[name] = merged[name] === true || said.includes(true);
  }
  return merged;
}

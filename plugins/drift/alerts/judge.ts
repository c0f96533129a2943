import type { Knex, PluginApi, Task } from '@tapline/plugin-sdk';
import { lockHosts } from '../capture/plans.ts';
import { severities } from '../detect/classify.ts';
import { matchesGlob } from './glob.ts';
import { inScope, scopeOf } from './scope.ts';

export interface RuleId {
  rule: number;
}

interface Exceeded {
  rule_id: number;
  rule_name: string;
  host_filter: string;
  host_id: number;
  host_name: string;
  inventory_id: number;
  drift_count: number;
  worst: number;
  kinds: string[];
}

/**
 * Asks every rule about hosts that drifted: once for each detection, since what was asked about is noted in the same
 * transaction.
 */
export async function judgeHosts(api: PluginApi, notify: Task<RuleId>, hosts: readonly number[]): Promise<void> {
  await api.db.transaction(async (trx) => {
    await lockHosts(api, trx, hosts);
    const exceeded: Exceeded[] = await findExceeded(api, trx, hosts);
    const fired = exceeded.filter(({ host_filter: pattern, host_name: name }) => matchesGlob(pattern || '*', name));
    await trx.raw(
      `update ${api.table('watched_hosts')} w set last_alerted_id = d.id
       from (select host_id, max(id) as id from ${api.table('detections')} where host_id = any (?) group by host_id) d
       where d.host_id = w.host_id`,
      [[...hosts]],
    );
    if (fired.length) await raise(api, trx, notify, fired);
  });
}

/** Rules whose threshold is reached on a host by drift of which some is new, and that are not cooling down there. */
async function findExceeded(api: PluginApi, trx: Knex, hosts: readonly number[]): Promise<Exceeded[]> {
  const { table } = api;
  const rank = (column: string) => `array_position(:severities::text[], ${column})`;
  const { rows } = await trx.raw(
    `select r.id as rule_id, r.name as rule_name, r.host_filter, d.host_id, h.name as host_name, h.inventory_id,
       count(*)::integer as drift_count, max(${rank('d.severity')}) as worst, array_agg(distinct d.category order by d.category) as kinds
     from ${table('alert_rules')} r
     join ${table('detections')} d on d.organization_id = r.organization_id
       and ${inScope}
       and (r.categories = '[]' or r.categories @> to_jsonb(d.category))
       and ${rank('d.severity')} >= ${rank('r.severity_min')}
       and d.created > now() - make_interval(mins => r.threshold_window_minutes)
     join ${table('watched_hosts')} w on w.host_id = d.host_id
     join core_hosts h on h.id = d.host_id
     where r.enabled and d.host_id = any (:hosts)
       and not exists (select from ${table('alerts')} a where a.alert_rule_id = r.id and a.host_id = d.host_id
         and a.created > now() - make_interval(mins => r.cooldown_minutes))
     group by r.id, d.host_id, h.name, h.inventory_id
     having count(*) >= r.threshold_count and bool_or(d.id > w.last_alerted_id)
     order by r.id, d.host_id`,
    { hosts: [...hosts], severities: [...severities], ...(await scopeOf(api, trx, hosts)) },
  );
  return rows;
}

async function raise(api: PluginApi, trx: Knex, notify: Task<RuleId>, fired: readonly Exceeded[]): Promise<void> {
  await trx(api.table('alerts')).insert(
    fired.map(({ rule_id, host_id, inventory_id, drift_count, ...told }) => ({
      alert_rule_id: rule_id,
      host_id,
      inventory_id,
      drift_count,
      summary: summaryOf({ drift_count, ...told }),
    })),
  );
  const afterSeconds = api.settings.get('DRIFT_ALERT_GROUP_SECONDS', 30);
  const rules = [...new Set(fired.map(({ rule_id: id }) => id))];
  await notify.enqueueAll(
    trx,
    rules.map((rule) => ({ rule })),
    { afterSeconds },
  );
}

type Summarised = Pick<Exceeded, 'rule_name' | 'host_name' | 'drift_count' | 'worst' | 'kinds'>;

function summaryOf({ rule_name: rule, host_name: host, drift_count: count, worst, kinds }: Summarised): string {
  const what = count === 1 ? '1 change' : `${count} changes`;
  return `${rule}: ${what} on ${host}, ${severities[worst - 1]} at worst (${kinds.join(', ')})`;
}

import type { Knex, PluginApi } from '@tapline/plugin-sdk';
import type { ActionResult, Rule, RuleAction } from '../rule.ts';

/** An event as it is evaluated. */
export interface EventRow {
  id: number;
  event_rule_id: number | null;
  event_rule_name: string;
  organization_id: number | null;
  event_type: string;
  event_guid: string;
  source_type: string;
  source_ip: string;
  headers: Record<string, unknown>;
  status: string;
  finished: string | null;
  plan: RuleAction[] | null;
  authority_id: number | null;
  actions_triggered: ActionResult[];
  payload_id: number | null;
  payload: unknown;
  truncated: boolean | null;
  created: string;
  /** how often it was given to the queue again */
  sweeps: number;
}

const columns = [
  'l.id',
  'l.event_rule_id',
  'l.event_rule_name',
  'l.organization_id',
  'l.event_type',
  'l.event_guid',
  'l.source_type',
  'l.source_ip',
  'l.headers',
  'l.status',
  'l.finished',
  'l.plan',
  'l.authority_id',
  'l.actions_triggered',
  'l.payload_id',
  'l.created',
  'l.sweeps',
  'p.body as payload',
  'p.truncated',
];

/** Logs with their payloads: the table of the logs stands under `l`. */
export const logsOf = ({ table }: Pick<PluginApi, 'table'>, db: Knex): Knex.QueryBuilder =>
  db(`${table('event_logs')} as l`)
    .leftJoin(`${table('payloads')} as p`, 'p.id', 'l.payload_id')
    .select(columns);

export const readLogs = async (api: PluginApi, ids: readonly number[]): Promise<EventRow[]> =>
  logsOf(api, api.db).whereIn('l.id', ids).orderBy('l.id');

export async function readRules(api: PluginApi, logs: readonly EventRow[]): Promise<Map<number, Rule>> {
  const ids = new Set(logs.map(({ event_rule_id: rule }) => rule).filter((id) => id !== null));
  const rules: Rule[] = await api.db(api.table('event_rules')).whereIn('id', [...ids]);
  return new Map(rules.map((rule) => [rule.id, rule]));
}

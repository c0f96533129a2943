import { setImmediate as breathe } from 'node:timers/promises';
import type { PluginApi } from '@tapline/plugin-sdk';
import { severities } from '../detect/classify.ts';
import { globOf } from './glob.ts';

/** What a rule asks for, as its row has it. */
export interface RuleTerms {
  organization_id: number;
  inventory_id: number | null;
  host_filter: string;
  categories: readonly string[];
  severity_min: string;
  threshold_count: number;
  threshold_window_minutes: number;
  cooldown_minutes: number;
}

/** Drift of a host that was found at one time. */
export interface Moment {
  host_id: number;
  host_name: string;
  at: string;
  changes: number;
}

export interface WouldFire {
  host: number;
  host_name: string;
  at: string;
  drift_count: number;
}

const minute = 60_000;

/** When a rule would have fired, host by host: the same counting, windows and pauses as alerts have. */
export function replay(rule: RuleTerms, moments: readonly Moment[]): WouldFire[] {
  const fired: WouldFire[] = [];
  for (const ofHost of Map.groupBy(moments, ({ host_id: id }) => id).values()) {
    let silentUntil = -Infinity;
    let [from, count] = [0, 0];
    for (const { at, changes, host_id: host, host_name } of ofHost) {
      const now = Date.parse(at);
      count += changes;
      while (Date.parse(ofHost[from]!.at) <= now - rule.threshold_window_minutes * minute)
        count -= ofHost[from++]!.changes;
      if (count < rule.threshold_count || now < silentUntil) continue;
      fired.push({ host, host_name, at, drift_count: count });
      silentUntil = now + rule.cooldown_minutes * minute;
    }
  }
  return fired.toSorted((a, b) => a.at.localeCompare(b.at) || a.host - b.host);
}

/** How many moments are looked at: more than that is not answered while somebody waits. */
export const mostMoments = 50_000;

/** Drift of the last days that a rule would have counted, in its order; the newest of it, where it is too much. */
export async function momentsOf(
  api: PluginApi,
  rule: RuleTerms,
  days: number,
): Promise<{ moments: Moment[]; complete: boolean }> {
  const { db, table } = api;
  const elsewhere = await isElsewhere(api, rule);
  const { rows }: { rows: Moment[] } = await db.raw(
    `select d.host_id, h.name as host_name, d.created as at, count(*)::integer as changes
     from ${table('detections')} d join core_hosts h on h.id = d.host_id
     where d.organization_id = :organization and d.created > now() - make_interval(days => :days)
       and (:inventory::bigint is null or d.inventory_id = :inventory) and d.severity = any (:severities)
       and (:all or d.category = any (:categories))
     group by d.host_id, h.name, d.created order by d.created desc, d.host_id limit :most + 1`,
    {
      days,
      most: mostMoments,
      organization: rule.organization_id,
      inventory: elsewhere ? null : rule.inventory_id,
      severities: severities.slice(severities.indexOf(rule.severity_min as (typeof severities)[number])),
      all: rule.categories.length === 0,
      categories: [...rule.categories],
    },
  );
  const newest = rows.slice(0, mostMoments).toReversed();
  const named = await ofHosts(rule.host_filter || '*', newest);
  const moments = elsewhere ? await heldBy(api, rule.inventory_id!, named) : named;
  return { moments, complete: rows.length <= mostMoments };
}

/** Whether the inventory of the rule shows hosts of others, as `scope.ts` tells. */
async function isElsewhere({ db }: PluginApi, { inventory_id: id }: RuleTerms): Promise<boolean> {
  const inventory = id === null ? undefined : await db('core_inventories').where({ id }).first('kind');
  return Boolean(inventory?.kind);
}

async function heldBy({ inventories }: PluginApi, inventory: number, moments: readonly Moment[]): Promise<Moment[]> {
  const held = await inventories.holding([inventory], [...new Set(moments.map(({ host_id: id }) => id))]);
  const hosts = new Set(held.map(({ host_id: id }) => id));
  return moments.filter(({ host_id: id }) => hosts.has(id));
}

/** The longest names against the longest pattern take some 30 ms. */
const namesAtOnce = 30;

/** A name is compared once, however often its host drifted, and requests go on between portions of names. */
export async function ofHosts(pattern: string, moments: readonly Moment[]): Promise<Moment[]> {
  const matches = globOf(pattern);
  const known = new Map<string, boolean>();
  const kept: Moment[] = [];
  for (const moment of moments) {
    const { host_name: name } = moment;
    if (!known.has(name)) {
      known.set(name, matches(name));
      // the loop has to be given back to others in between
      // oxlint-disable-next-line no-await-in-loop
      if (known.size % namesAtOnce === 0) await breathe();
    }
    if (known.get(name)) kept.push(moment);
  }
  return kept;
}

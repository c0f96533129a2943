import type { Knex } from 'knex';
import type { Hooks } from './hooks.ts';

/** Of a tap's latest calls on all nodes: bounded, so that asking costs the same after a million runs. */
const latest = 1000;

export interface TapFigures {
  calls: number;
  errors: number;
  p50_ms: number | null;
  p95_ms: number | null;
  last_called: string | null;
}

interface FiguresRow extends TapFigures {
  hook: string;
  plugin: string;
  tap: string;
}

const none: TapFigures = { calls: 0, errors: 0, p50_ms: null, p95_ms: null, last_called: null };

/** Every hook with its taps in the order in which they run, and how they did of late. One statement. */
export async function describeHooks({ db, hooks }: { db: Knex; hooks: Pick<Hooks, 'list'> }) {
  const list = hooks.list();
  const keys = list.flatMap(({ hook, taps }) => taps.map(({ plugin, name }) => ({ hook, plugin, tap: name })));
  const figures = await readFigures(db, keys);
  return list.map(({ hook, taps }) => ({
    name: hook,
    queued: hook !== 'beforeStart',
    taps: taps.map(({ plugin, name, stage, failMode, timeoutMs }) => ({
      plugin,
      name,
      stage,
      fail_mode: failMode ?? 'retry',
      timeout_ms: timeoutMs,
      ...(figures.get(`${hook} ${plugin}:${name}`) ?? none),
    })),
  }));
}

async function readFigures(db: Knex, keys: object[]): Promise<Map<string, TapFigures>> {
  if (!keys.length) return new Map();
  const { rows }: { rows: FiguresRow[] } = await db.raw(
    `select k.hook, k.plugin, k.tap, f.* from jsonb_to_recordset(?::jsonb) as k(hook text, plugin text, tap text)
     cross join lateral (
       select count(*)::int as calls, (count(*) filter (where result not in ('ok', 'denied')))::int as errors,
              round(percentile_cont(0.5) within group (order by milliseconds)::numeric, 3)::float8 as p50_ms,
              round(percentile_cont(0.95) within group (order by milliseconds)::numeric, 3)::float8 as p95_ms,
              max(created) as last_called
       from (select result, milliseconds, created from hook_traces t
             where t.plugin = k.plugin and t.tap = k.tap and t.hook = k.hook order by id desc limit ?) recent
     ) f`,
    [JSON.stringify(keys), latest],
  );
  return new Map(rows.map(({ hook, plugin, tap, ...figures }) => [`${hook} ${plugin}:${tap}`, figures]));
}

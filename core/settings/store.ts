import type { Knex } from 'knex';
import type { Bus } from '../queue/bus.ts';
import type { Log } from '../observe/log.ts';
import { blamedFor } from '../observe/section.ts';
import { settingCell } from '../secrets/cells.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { checkValue } from './check-value.ts';
import type { Settings } from './settings.ts';

const lock = 'tapline settings';
const retryMs = 1000;

export interface StoreDeps {
  db: Knex;
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>;
  settings: Settings;
  bus?: Pick<Bus, 'notify' | 'on'>;
  log?: Pick<Log, 'warn'>;
}

/** What is stored, made readable. A row that cannot be used is left out, so that one bad value does not stop a node. */
export async function readStored({ db, keyRing, settings, log }: StoreDeps): Promise<Map<string, unknown>> {
  const rows: { key: string; value: unknown }[] = await db('settings').select('key', 'value');
  const stored = new Map<string, unknown>();
  for (const { key, value } of rows) {
    const definition = settings.state(key)?.definition;
    // a plugin's that is off
    if (!definition) continue;
    try {
      const plain = definition.secret && value ? keyRing.decrypt(value as string, settingCell(key)) : value;
      stored.set(key, checkValue(definition, plain));
    } catch (error) {
      log?.warn(
        { key, reason: (error as Error).message, ...blamedFor(error) },
        'a stored setting cannot be used: what lies below it holds',
      );
    }
  }
  return stored;
}

/** Stores values and removes those given as undefined, in one transaction; this node has them once it returns. */
export async function changeStored(
  deps: StoreDeps,
  changes: ReadonlyMap<string, unknown>,
  record?: (trx: Knex) => Promise<void>,
): Promise<void> {
  const { db, keyRing, settings, bus } = deps;
  if (!changes.size) return;
  const gone = [...changes].filter(([, value]) => value === undefined).map(([key]) => key);
  const kept = [...changes].filter(([, value]) => value !== undefined);
  const rows = kept.map(([key, value]) => {
    const secret = settings.state(key)?.definition.secret && value !== '';
    return { key, value: secret ? keyRing.encrypt(value as string, settingCell(key)) : value };
  });
  await db.transaction(async (trx) => {
    // two changes of the same keys in another order would wait for each other
    await trx.raw('select pg_advisory_xact_lock(hashtext(?))', [lock]);
    if (gone.length) await trx('settings').whereIn('key', gone).delete();
    if (rows.length)
      await trx.raw(
        `insert into settings (key, value)
         select n.key, coalesce(n.value, 'null'::jsonb) from jsonb_to_recordset(?::jsonb) as n (key text, value jsonb)
         on conflict (key) do update set value = excluded.value, modified = now()`,
        [JSON.stringify(rows)],
      );
    await record?.(trx);
    await bus?.notify(trx, 'settings', {});
  });
  await settings.refresh(() => readStored(deps));
}

/** Reads what is stored, and again whenever any node changes it. */
export async function followStored(deps: Required<StoreDeps>): Promise<() => void> {
  const { bus, log, settings } = deps;
  let timer: NodeJS.Timeout | undefined;
  const again = () => {
    clearTimeout(timer);
    settings
      .refresh(() => readStored(deps))
      .catch((error: Error) => {
        log.warn({ reason: error.message }, 'settings could not be read; trying again');
        timer = setTimeout(again, retryMs).unref();
      });
  };
  const ends = [bus.on('settings', again), bus.on('reconnected', again)];
  await settings.refresh(() => readStored(deps));
  return () => {
    clearTimeout(timer);
    for (const end of ends) end();
  };
}

import type { Knex } from 'knex';
import { credentialCell, runSecretCell, settingCell, webhookKeyCell } from './cells.ts';
import { resealAnswers, resealConfigurations, resealSurveys, savedAnswerTables } from './reseal-surveys.ts';
import { resealUrl } from './url-secret.ts';
import { keysOfPlugins, resealPlugins } from './reseal-plugins.ts';
import { type Cell, type KeyRing, ciphertextKeyId, isCiphertext } from './key-ring.ts';

const batch = 500;
/** Another node may still be writing with the key it saw last: a retired key outlives it by this. */
const keepRetiredMs = 24 * 3600 * 1000;
const lock = 'tapline key rotation';

export interface RotationReport {
  active: string;
  reencrypted: number;
  /** secrets that no key opens: left as they are */
  unreadable: string[];
  dropped: string[];
  /** retired keys that stay for now */
  kept: string[];
}

type Reseal = (text: string, cell: Cell) => string;

/** Both walk the table by key in batches, each in a transaction of its own, and write only what changed. */
async function resealCredentials(db: Knex, reseal: Reseal, usesOldKey: (text: unknown) => boolean): Promise<number> {
  let count = 0;
  for (let after = 0; ;) {
    const rows = await db.transaction(async (trx) => {
      const page = await trx('credentials')
        .select('id', 'inputs')
        .where('id', '>', after)
        .orderBy('id')
        .limit(batch)
        .forUpdate();
      const changed = page
        .filter((row) => Object.values(row.inputs).some(usesOldKey))
        .map((row) => ({
          id: row.id,
          inputs: Object.fromEntries(
            Object.entries(row.inputs).map(([name, value]) => [
              name,
              usesOldKey(value) ? reseal(value as string, credentialCell(row.id, name)) : value,
            ]),
          ),
        }));
      await trx.raw(
        'update credentials c set inputs = n.inputs from jsonb_to_recordset(?::jsonb) as n(id bigint, inputs jsonb) where c.id = n.id',
        [JSON.stringify(changed)],
      );
      count += changed.length;
      return page;
    });
    if (rows.length < batch) return count;
    after = rows.at(-1).id;
  }
}

async function resealRunSecrets(db: Knex, reseal: Reseal, usesOldKey: (text: unknown) => boolean): Promise<number> {
  let count = 0;
  let after: [number, string] = [0, ''];
  for (;;) {
    const rows = await db.transaction(async (trx) => {
      const page = await trx('run_secrets')
        .select('run_id', 'name', 'value')
        .whereRaw('(run_id, name) > (?, ?)', after)
        .orderBy(['run_id', 'name'])
        .limit(batch)
        .forUpdate();
      const changed = page
        .filter((row) => usesOldKey(row.value))
        .map((row) => ({ ...row, value: reseal(row.value, runSecretCell(row.run_id, row.name)) }));
      await trx.raw(
        `update run_secrets s set value = n.value from jsonb_to_recordset(?::jsonb) as n(run_id bigint, name text, value text)
        where s.run_id = n.run_id and s.name = n.name`,
        [JSON.stringify(changed)],
      );
      count += changed.length;
      return page;
    });
    if (rows.length < batch) return count;
    after = [rows.at(-1).run_id, rows.at(-1).name];
  }
}

async function resealWebhookKeys(db: Knex, reseal: Reseal, usesOldKey: (text: unknown) => boolean): Promise<number> {
  return db.transaction(async (trx) => {
    const rows: { id: number; webhook_key: string }[] = await trx('templates')
      .select('id', 'webhook_key')
      .where('webhook_key', '<>', '')
      .orderBy('id')
      .forUpdate();
    const changed = rows
      .filter((row) => usesOldKey(row.webhook_key))
      .map((row) => ({ id: row.id, webhook_key: reseal(row.webhook_key, webhookKeyCell(row.id)) }));
    await trx.raw(
      'update templates t set webhook_key = n.webhook_key from jsonb_to_recordset(?::jsonb) as n(id bigint, webhook_key text) where t.id = n.id',
      [JSON.stringify(changed)],
    );
    return changed.length;
  });
}

/** There are few of them: one transaction. */
async function resealSettings(db: Knex, reseal: Reseal, usesOldKey: (text: unknown) => boolean): Promise<number> {
  return db.transaction(async (trx) => {
    const rows: { key: string; value: unknown }[] = await trx('settings')
      .select('key', 'value')
      .orderBy('key')
      .forUpdate();
    const changed = rows
      .filter(({ value }) => usesOldKey(value))
      .map(({ key, value }) => ({ key, value: reseal(value as string, settingCell(key)) }));
    await trx.raw(
      'update settings s set value = n.value from jsonb_to_recordset(?::jsonb) as n(key text, value jsonb) where s.key = n.key',
      [JSON.stringify(changed)],
    );
    return changed.length;
  });
}

/** Passwords in the addresses of sources, and of the updates that took them over. */
async function resealUrls(db: Knex, reseal: (url: string) => string): Promise<number> {
  let count = 0;
  for (const table of ['templates', 'runs']) {
    count += await db.transaction(async (trx) => {
      const rows = await trx(table).select('id', 'scm_url').whereLike('scm_url', '%:tap1:%').orderBy('id').forUpdate();
      const changed = rows
        .map(({ id, scm_url: url }) => ({ id, before: url, scm_url: reseal(url) }))
        .filter(({ before, scm_url: url }) => url !== before);
      await trx.raw(
        'update ?? t set scm_url = n.scm_url from jsonb_to_recordset(?::jsonb) as n(id bigint, scm_url text) where t.id = n.id',
        [table, JSON.stringify(changed)],
      );
      return changed.length;
    });
  }
  return count;
}

/** The keys that stored secrets still need. */
export async function keysInUse(db: Knex): Promise<Set<string>> {
  const answers = ['runs', ...(await savedAnswerTables(db))]
    .map(
      (table) =>
        `union all select e.value from ${table}, lateral jsonb_each_text(survey_passwords) e where survey_passwords is not null`,
    )
    .join('\n      ');
  const { rows } = await db.raw(`
    select distinct substr(value, 6, 12) as id from (
      select e.value from credentials, lateral jsonb_each_text(inputs) e where e.value like 'tap1:%'
      union all select e.value from notification_templates, lateral jsonb_each_text(notification_configuration) e where e.value like 'tap1:%'
      union all select value from run_secrets where value like 'tap1:%'
      union all select webhook_key from templates where webhook_key <> ''
      union all select q ->> 'default' from templates, lateral jsonb_path_query(survey_spec, '$.spec[*]') q where q ->> 'type' = 'password' and q ->> 'default' like 'tap1:%'
      ${answers}
      union all select value #>> '{}' from settings where value #>> '{}' like 'tap1:%'
      union all select substring(scm_url from ':(tap1:[^@]+)@') from templates where scm_url like '%:tap1:%'
      union all select substring(scm_url from ':(tap1:[^@]+)@') from runs where scm_url like '%:tap1:%'
      -- what a running job keeps from its output lives as long as the job, and is not sealed anew
      union all select handle ->> 'mask' from runs where status in ('waiting', 'running') and handle ->> 'mask' like 'tap1:%') secrets`);
  return new Set([...rows.map((row: { id: string }) => row.id), ...(await keysOfPlugins(db))]);
}

/**
 * Puts every stored secret under a new key, while the service runs. A node that dies half-way leaves
 * both keys in the ring; running it again finishes the work.
 */
export async function rotateKeys({
  db,
  keyRing,
  now = Date.now(),
}: {
  db: Knex;
  keyRing: KeyRing;
  now?: number;
}): Promise<RotationReport> {
  return db.transaction(async (guard) => {
    // two rotations at once would overwrite each other's new key
    await guard.raw('select pg_advisory_xact_lock(hashtext(?))', [lock]);
    const active = keyRing.writable ? keyRing.rotate() : keyRing.activeKeyId();
    const usesOldKey = (text: unknown) => isCiphertext(text) && ciphertextKeyId(text) !== active;
    const unreadable: string[] = [];
    const orAsItIs = (text: string, reseal: () => string) => {
      try {
        return reseal();
      } catch (error) {
        unreadable.push((error as Error).message);
        return text;
      }
    };
    const reseal: Reseal = (text, cell) => orAsItIs(text, () => keyRing.encrypt(keyRing.decrypt(text, cell), cell));
    const reencrypted =
      (await resealCredentials(db, reseal, usesOldKey)) +
      (await resealRunSecrets(db, reseal, usesOldKey)) +
      (await resealSurveys(db, reseal, usesOldKey)) +
      (await resealWebhookKeys(db, reseal, usesOldKey)) +
      (await resealAnswers(db, reseal, usesOldKey)) +
      (await resealConfigurations(db, reseal, usesOldKey)) +
      (await resealSettings(db, reseal, usesOldKey)) +
      (await resealUrls(db, (url) => orAsItIs(url, () => resealUrl(keyRing, url, usesOldKey)))) +
      (await resealPlugins(db, reseal, usesOldKey));

    const used = await keysInUse(db);
    const unused = keyRing
      .retired()
      .filter(({ id, since }) => !used.has(id) && now - Date.parse(since) > keepRetiredMs)
      .map(({ id }) => id);
    if (keyRing.writable && unused.length) keyRing.drop(unused);
    return {
      active,
      reencrypted,
      unreadable,
      dropped: keyRing.writable ? unused : [],
      kept: keyRing.retired().map(({ id }) => id),
    };
  });
}

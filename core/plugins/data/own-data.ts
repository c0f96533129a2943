import type { Knex } from 'knex';
import { deleteTasksOf } from '../../queue/parked.ts';
import { QUEUE_SCHEMA } from '../../queue/tasks.ts';
import { migrationTable, schemaOf } from './schema-name.ts';
import { forgetSettingKeys, notedSettingKeys } from './noted-settings.ts';

export interface OwnData {
  /** the plugin's tables with their numbers of rows; undefined when it has no schema */
  tables: { name: string; rows: number }[] | undefined;
  /** stored values of its settings */
  settings: string[];
  /** tasks that wait in the queue */
  tasks: number;
}

/** Ids of plugins that have a schema here, whether they are on or not. */
export async function pluginsWithData(db: Pick<Knex, 'raw'>): Promise<string[]> {
  const { rows } = await db.raw(
    `select substr(nspname, 8) as name from pg_namespace where nspname ~ '^plugin_' order by 1`,
  );
  return rows.map(({ name }: { name: string }) => name.replaceAll('_', '-'));
}

export async function ownData(db: Knex, plugin: string, settingKeys: readonly string[]): Promise<OwnData> {
  const schema = schemaOf(plugin);
  const [{ rows: spaces }, { rows: tables }, settings, { rows: queue }] = await Promise.all([
    db.raw('select 1 from pg_namespace where nspname = ?', [schema]),
    db.raw(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = ? and c.relkind in ('r', 'p') and not c.relispartition and c.relname not like ? order by 1`,
      [schema, `${migrationTable}%`],
    ),
    db('settings')
      .whereIn('key', settingKeys as string[])
      .orderBy('key')
      .pluck('key'),
    db.raw('select to_regclass(?) is not null as there', [`${QUEUE_SCHEMA}.jobs`]),
  ]);
  const counted = await Promise.all(
    tables.map(async ({ name }: { name: string }) => {
      const [row] = await db(`${schema}.${name}`).count({ rows: '*' });
      return { name, rows: Number(row!.rows) };
    }),
  );
  const tasks = queue[0].there
    ? await db.raw(`select count(*)::int as count from ${QUEUE_SCHEMA}.jobs where starts_with(task_identifier, ?)`, [
        `${plugin}:`,
      ])
    : undefined;
  return { tables: spaces.length ? counted : undefined, settings, tasks: tasks?.rows[0].count ?? 0 };
}

/** All of it at once, or nothing. */
export async function dropOwnData(db: Knex, plugin: string, { settings, tasks }: OwnData): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw(`drop schema if exists ${schemaOf(plugin)} cascade`);
    if (settings.length) await trx('settings').whereIn('key', settings).delete();
    await forgetSettingKeys(trx, await notedSettingKeys(trx, plugin));
    if (tasks) await deleteTasksOf(trx, plugin);
    await trx('failing_tasks').where({ plugin }).delete();
  });
}

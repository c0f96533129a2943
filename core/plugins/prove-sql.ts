import type { Knex } from 'knex';
import type pg from 'pg';
import type { Catalog } from '../descriptors/compile.ts';
import { addedProbes, type Probes, probesOf, restrictionProbes } from '../descriptors/probes.ts';
import { callError, reasonOf } from '../observe/plugin-error.ts';
import { pluginTypes } from './content.ts';
import { callOf } from './door/door.ts';
import type { Registries } from './registries.ts';

interface Declared extends Probes {
  plugin: string;
  call: string;
}

/**
 * Tries the SQL that plugins bring along on the tables as they are: a column that is not there is told here, and not by
 * the first request. Postgres only parses and resolves it; nothing is planned or run.
 * @throws PluginError naming the call, the part of it, and what Postgres says
 */
export async function proveSql(catalog: Catalog, registries: Registries): Promise<void> {
  const declared = declaredIn(catalog, registries);
  if (!declared.length || (await areAccepted(catalog.db, declared))) return;
  for (const one of declared) await proveApart(catalog.db, one);
}

function declaredIn(catalog: Catalog, registries: Registries): Declared[] {
  const own = new Map(registries.all('resources').map(({ item }) => [item.type, item]));
  return [
    ...registries.all('restrictions').map(({ plugin, item: { resource, restriction } }) => ({
      plugin,
      call: callOf('restrict', resource),
      ...restrictionProbes(catalog, resource, restriction),
    })),
    ...registries
      .all('extensions')
      .filter(({ item }) => catalog.models.has(item.type))
      .map(({ plugin, item: { type, extension } }) => ({
        plugin,
        call: callOf('extend', type),
        ...addedProbes(catalog, type, extension),
      })),
    ...[...pluginTypes(registries)].flatMap(([type, by]) => {
      // a kind of runs may say that it has no such resource
      const declared = own.get(type) ?? catalog.models.get(type)?.resource;
      return declared ? [{ ...by, ...probesOf(catalog, declared) }] : [];
    }),
  ];
}

/** Whether all of it passes at once, as it nearly always does. */
async function areAccepted(db: Knex, declared: readonly Declared[]): Promise<boolean> {
  const texts: string[] = [];
  try {
    for (const { together } of declared) texts.push(...together());
  } catch {
    return false;
  }
  // what holds a semicolon goes alone, where Postgres takes one statement only
  const [alone, several] = [true, false].map((apart) => texts.filter((text) => text.includes(';') === apart));
  try {
    await prepareAll(db, several!);
    for (const text of alone!) await prepareOne(db, text);
    return true;
  } catch (error) {
    if (isFault(error as pg.DatabaseError)) return false;
    throw error;
  }
}

async function proveApart(db: Knex, { plugin, call, apart }: Declared): Promise<void> {
  for (const { part, sql } of apart) {
    let text: string;
    try {
      text = sql();
    } catch (error) {
      throw callError(plugin, call, `fails where its SQL is written (${part})`, reasonOf(error));
    }
    await prepareOne(db, text).catch((error: pg.DatabaseError) => {
      if (!isFault(error)) throw error;
      const said = `${error.message}${error.hint ? `. ${error.hint}` : ''}`;
      throw callError(plugin, call, `does not fit the database (${part}): ${said}`, remedy);
    });
  }
}

const remedy = 'correct the name, or add what is missing in a migration';

/** Syntax errors and unknown names, constants that are none of their type, what Postgres does not know to do. */
const isFault = ({ code }: pg.DatabaseError) => /^(42|22|0A)/.test(code ?? '');

const prepareAll = (db: Knex, texts: readonly string[]) =>
  onConnection(db, async (connection) => {
    const each = texts.map((text) => `prepare plugin_proof as ${text}\n;deallocate plugin_proof`);
    if (each.length) await connection.query(each.join(';'));
  });

const prepareOne = (db: Knex, text: string) =>
  onConnection(db, async (connection) => {
    // the extended protocol takes one statement and no more
    await connection.query({ text: `prepare plugin_proof as ${text}`, queryMode: 'extended' } as pg.QueryConfig);
    await connection.query('deallocate plugin_proof');
  });

async function onConnection(db: Knex, work: (connection: pg.Client) => Promise<void>): Promise<void> {
  const { client } = db;
  const connection = await client.acquireConnection();
  try {
    await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

import type { Knex } from 'knex';

const most = 4000;

/**
 * Has Postgres plan a statement once for each connection, and not each time it is asked: a test that asks the same of hundreds
 * of people would wait for plans most of the time. Statements inside of transactions stay as they are.
 */
export function prepareAll(db: Knex): void {
  const { client } = db;
  const names = new Map<string, string>();
  const query = client._query.bind(client);
  client._query = (connection: unknown, asked: { sql: string; options?: { name?: string } }) => {
    if (/^(select|with) /i.test(asked.sql.trimStart()) && (names.has(asked.sql) || names.size < most)) {
      if (!names.has(asked.sql)) names.set(asked.sql, `test ${names.size}`);
      asked.options = { ...asked.options, name: names.get(asked.sql)! };
    }
    return query(connection, asked);
  };
}

import { format, type ListFormat } from '@tapline/plugin-sdk';

/** In the order in which they are written. */
const columns = {
  id: 'id',
  created: `to_char({}.created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  action: 'action',
  actor: 'actor_id',
  actor_name: 'actor_name',
  ip: 'ip',
  request_id: 'request_id',
  node: 'node',
  organization: 'organization_id',
  object_type: 'object_type',
  object_id: 'object_id',
  object_name: 'object_name',
  before: 'before',
  after: 'after',
  details: 'details',
} as const;

const numbers = new Set(['id', 'actor', 'organization', 'object_id']);
const documents = new Set(['before', 'after', 'details']);

const sqlOf = (column: string, alias: string) =>
  column.includes('{}') ? column.replaceAll('{}', `"${alias}"`) : `"${alias}"."${column}"`;

const cells = (alias: string) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, { sql: sqlOf(column, alias), text: !numbers.has(name) }]),
  );

const members = (alias: string) =>
  Object.entries(columns).map(([name, column]) => {
    const value = sqlOf(column, alias);
    return `'${name}', ${documents.has(name) ? `${value}::text` : value}`;
  });

/** Both are written by the database: a million events in seconds. */
export const auditFormats: Record<string, ListFormat> = {
  csv: format.csv({ cells }),
  siem: {
    media: 'application/x-ndjson',
    extension: 'ndjson',
    help: 'For collectors of security events: one flat JSON object a line; what nests is JSON text.',
    row: () => '',
    line: (alias) => `json_build_object(${members(alias).join(', ')})::text`,
  },
};

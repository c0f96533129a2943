import { createHash } from 'node:crypto';

/** An event as the text that its hash is made of: the same for the same row, whatever the settings of the connection. */
export const canonicalSql = (alias: string) =>
  `jsonb_build_array(${alias}.id, to_char(${alias}.created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ${[
    'action',
    'actor_id',
    'actor_name',
    'ip',
    'request_id',
    'node',
    'organization_id',
    'object_type',
    'object_id',
    'object_name',
    'before',
    'after',
    'details',
  ]
    .map((column) => `${alias}.${column}`)
    .join(', ')})::text`;

/** What the first event is chained to. */
export const origin: Buffer = Buffer.alloc(32);

export const chained = (before: Buffer, text: string): Buffer =>
  createHash('sha256').update(before).update(text).digest();

/** Sealing and removing go in turn, on all nodes. */
export const inTurnSql = `select pg_advisory_xact_lock(hashtextextended('audit chain', 3))`;

import { ValidationError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { holdsExpression } from '../yaml/expressions.ts';

const templateDelimiters = /\{\{|\}\}|\{%|%\}|\{#|#\}/;

export const hasTemplateDelimiters = (name: string): boolean => templateDelimiters.test(name) || holdsExpression(name);

export function assertPlainName(name: string): void {
  if (hasTemplateDelimiters(name))
    throw ValidationError.field('name', 'Template delimiters such as {{ are not allowed in a name.');
}

/** `web1:2222` in its parts; a name with more than one colon is an IPv6 address and stays whole. */
export function splitPort(name: string): { host: string; port: number | null } {
  const [host, port, ...more] = name.split(':');
  if (port === undefined || more.length) return { host: name, port: null };
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (!host || number < 1 || number > 65_535)
    throw ValidationError.field(
      'name',
      `Invalid port specification: ${JSON.stringify(port.slice(0, 50))} is not a number from 1 to 65535.`,
    );
  return { host, port: number };
}

const others = { hosts: { table: 'groups', label: 'Group' }, groups: { table: 'hosts', label: 'Host' } } as const;

/**
 * Hosts and groups of an inventory share one name space in the engine. The lock keeps a host and a
 * group from taking the same name at the same time; the two tables cannot share a constraint.
 */
export async function claimName(
  trx: Knex,
  table: 'hosts' | 'groups',
  inventoryId: number,
  name: string,
): Promise<void> {
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`inventory ${inventoryId} ${name}`]);
  const other = others[table];
  if (await trx(other.table).where({ inventory_id: inventoryId, name }).first('id')) {
    throw ValidationError.field('name', `A ${other.label} with that name already exists.`);
  }
}

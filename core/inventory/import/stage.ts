import type { Knex } from 'knex';
import { copyInto } from '../../db/copy.ts';
import { copyLines, type RowFolder, type RowKind } from './rows.ts';

/** Tables of the transaction: what a source gave, and what that means for each host and group. */
const tables = `
  create temporary table staged_hosts (name text not null, enabled boolean, instance_id text not null, variables text not null,
    given text, seen text) on commit drop;
  create temporary table staged_groups (name text not null, variables text not null, given text, seen text) on commit drop;
  create temporary table staged_members (group_name text not null, host_name text not null) on commit drop;
  create temporary table staged_children (parent text not null, child text not null) on commit drop;
  create temporary table changed_hosts (id bigint, name text not null, how text not null) on commit drop;
  create temporary table changed_groups (id bigint, name text not null, how text not null) on commit drop;
  create temporary table linked_members (group_id bigint, host_id bigint) on commit drop;
  create temporary table linked_children (parent_id bigint, child_id bigint) on commit drop`;

/** Without it the planner takes every table for a small one. How many there are it reads off a sample as well: sorting all takes longer. */
const learn = `
  set local default_statistics_target = 10;
  analyze staged_hosts (name, instance_id), staged_groups (name), staged_members, staged_children`;

const columns: Record<RowKind, string> = {
  hosts: 'staged_hosts (name, enabled, instance_id, variables)',
  groups: 'staged_groups (name, variables)',
  members: 'staged_members (group_name, host_name)',
  children: 'staged_children (parent, child)',
};

export type Staged = Record<RowKind, number>;

/** Resolves to how many rows there are of each kind. @throws SpecError naming what cannot be stored */
export async function stageRows(trx: Knex.Transaction, folder: RowFolder): Promise<Staged> {
  await trx.raw(tables);
  const staged = {} as Staged;
  for (const kind of Object.keys(columns) as RowKind[])
    // they share a connection
    // oxlint-disable-next-line no-await-in-loop
    staged[kind] = await copyInto(trx, columns[kind], copyLines(folder, kind));
  await trx.raw(learn);
  return staged;
}

/**
 * For what looks at whole inventories, within a transaction. How large one has become the planner learns minutes later: where it
 * took one for small, it compared 10,000 hosts with 10,000 pair by pair, for 11 s. Each is read once, whatever it believes, and with
 * room for its variables: those of 10,000 hosts went to the disk and back.
 */
export async function readingWholes<T>(trx: Knex, work: () => Promise<T>): Promise<T> {
  await trx.raw(`set local enable_nestloop = off; set local work_mem = '32MB'`);
  const result = await work();
  await trx.raw('set local enable_nestloop to default; set local work_mem to default');
  return result;
}

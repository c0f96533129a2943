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

/** Names are only ever compared for being the same: without their collation that takes a fraction of the time. */
const indexes = `
  create index on staged_hosts using hash (name);
  create index on staged_groups using hash (name);
  analyze staged_hosts, staged_groups, staged_members, staged_children`;

const columns: Record<RowKind, string> = {
  hosts: 'staged_hosts (name, enabled, instance_id, variables)',
  groups: 'staged_groups (name, variables)',
  members: 'staged_members (group_name, host_name)',
  children: 'staged_children (parent, child)',
};

/** @throws SpecError naming what cannot be stored */
export async function stageRows(trx: Knex.Transaction, folder: RowFolder): Promise<void> {
  await trx.raw(tables);
  for (const [kind, target] of Object.entries(columns))
    // they share a connection
    // oxlint-disable-next-line no-await-in-loop
    await copyInto(trx, target, copyLines(folder, kind as RowKind));
  // without it the planner takes every table for a small one
  await trx.raw(indexes);
}

import { ApiError, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Doors } from '../../rbac/doors.ts';
import { hostLimitProblem } from '../host-limit.ts';
import { applyChanges, lockChanged, renameHosts } from './apply.ts';
import { compareStaged, type Differences, namedDifferences, type NamedDifferences } from './compare.ts';
import { askGuards } from './guards.ts';
import { mergedText, mergeStaged } from './merge.ts';
import { inventoryVariablesIn, type RowFolder } from './rows.ts';
import { readingWholes, stageRows } from './stage.ts';

/** An inventory source, as far as it decides what becomes of what it gave. */
export interface ImportSource {
  id: number;
  inventory_id: number;
  overwrite: boolean;
  overwrite_vars: boolean;
  max_removed_percent: number | null;
}

export interface ImportReport {
  hosts: Differences & { names?: NamedDifferences };
  groups: Differences & { names?: NamedDifferences };
  /** those of the inventory itself */
  variables_changed: boolean;
  /** of a preview: why the update itself would change nothing */
  refused?: string;
}

export interface ImportOptions {
  doors?: Pick<Doors, 'check' | 'isGuarded'>;
  /** mends what is staged before anything is compared with it */
  mend?: (trx: Knex.Transaction) => Promise<void>;
}

/** A preview names so many of each sort. */
const mostNamed = 100;

/**
 * Brings an inventory in line with what its source gave, by a constant number of statements and within the transaction:
 * all of it or nothing.
 * @throws SpecError with the reason where the result cannot be taken over; the transaction is to be undone then
 */
export async function importInventory(
  trx: Knex.Transaction,
  folder: RowFolder,
  source: ImportSource,
  { doors, mend }: ImportOptions = {},
): Promise<ImportReport> {
  const { report, given, renamed } = await comparedImport(trx, folder, source, mend);
  await assertAllowed(trx, source, report, doors);
  await assertHostLimit(trx, source, [...renamed, ...(await applyChanges(trx, source))]);
  if (report.variables_changed) await storeVariables(trx, source, given);
  return report;
}

/** Whoever changed those of the inventory meanwhile keeps them. */
async function storeVariables(trx: Knex.Transaction, source: ImportSource, given: string): Promise<void> {
  const one = trx('inventories').where({ id: source.inventory_id });
  const { variables: own } = await one.clone().forNoKeyUpdate().first('variables');
  const variables = source.overwrite_vars ? given : await mergedText(own, given);
  await one.update({ variables, modified: trx.fn.now() });
}

/** What that would do, by name; the inventory stays as it is. */
export async function previewImport(
  trx: Knex.Transaction,
  folder: RowFolder,
  source: ImportSource,
  { doors, mend }: ImportOptions = {},
): Promise<ImportReport> {
  await trx.raw('savepoint before_preview');
  const { report, renamed } = await comparedImport(trx, folder, source, mend);
  const [hosts, groups] = [
    { ...report.hosts, names: await namedDifferences(trx, 'hosts', mostNamed) },
    { ...report.groups, names: await namedDifferences(trx, 'groups', mostNamed) },
  ];
  // done for what would come of it, and undone
  const tried = async () => {
    await assertAllowed(trx, source, report, doors);
    await assertHostLimit(trx, source, [...renamed, ...(await applyChanges(trx, source))]);
  };
  const refused = await tried().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof SpecError) return error.message;
      throw error;
    },
  );
  await trx.raw('rollback to savepoint before_preview');
  return { ...report, hosts, groups, ...(refused && { refused }) };
}

async function comparedImport(
  trx: Knex.Transaction,
  folder: RowFolder,
  source: ImportSource,
  mend: ImportOptions['mend'],
): Promise<{ report: ImportReport; given: string; renamed: number[] }> {
  // two sources of one inventory after each other
  await trx.raw('select pg_advisory_xact_lock(hashtextextended(?, 2))', [`import ${source.inventory_id}`]);
  // one statement over a large inventory may take longer than one of a request
  await trx.raw('set local statement_timeout = 0');
  const inventory = await inventoryOf(trx, source.inventory_id);
  const staged = await stageRows(trx, folder);
  await mend?.(trx);
  const renamed = await readingWholes(trx, () => renameHosts(trx, source));
  const merge = async () => {
    if (source.overwrite_vars) return;
    await mergeStaged(trx, 'hosts', source.inventory_id);
    await mergeStaged(trx, 'groups', source.inventory_id);
  };
  await merge();
  const compared = await readingWholes(trx, () => compareStaged(trx, source, staged));
  await lockChanged(trx, source);
  await merge();
  const given = await inventoryVariablesIn(folder);
  const variables = source.overwrite_vars ? given : await mergedText(inventory.variables, given);
  const report = { ...compared, variables_changed: !sameText(variables, inventory.variables) };
  return { report, given, renamed };
}

async function assertAllowed(
  trx: Knex.Transaction,
  source: ImportSource,
  { hosts }: ImportReport,
  doors: ImportOptions['doors'],
): Promise<void> {
  await assertFewRemoved(trx, source, hosts.removed);
  if (doors) await refusedPlainly(() => askGuards(trx, doors, source.inventory_id));
}

/** The organization may have no more hosts. */
export class HostLimitError extends SpecError {}

async function assertHostLimit(trx: Knex, { inventory_id: inventory }: ImportSource, added: number[]): Promise<void> {
  const problem = await hostLimitProblem(trx, inventory, added);
  if (problem !== null) throw new HostLimitError(`${problem} Nothing was changed.`);
}

const sameText = (text: string, other: string) => text === other || (isEmpty(text) && isEmpty(other));
const isEmpty = (text: string) => ['', '{}', '---'].includes(text.trim());

async function inventoryOf(trx: Knex, id: number): Promise<{ variables: string }> {
  const inventory = await trx('inventories').where({ id }).forKeyShare().first('variables', 'pending_deletion');
  if (!inventory || inventory.pending_deletion)
    throw new SpecError('The inventory is gone, or is being deleted. Nothing was changed.');
  return inventory;
}

/** A source that lost its credential, or answers from elsewhere, must not empty an inventory. */
async function assertFewRemoved(
  trx: Knex,
  { id, inventory_id: inventory, max_removed_percent: most }: ImportSource,
  removed: number,
): Promise<void> {
  if (most === null || !removed) return;
  const { rows } = await trx.raw(
    'select count(*)::int as count from hosts where inventory_id = ? and ? = any (source_ids)',
    [inventory, id],
  );
  const [{ count }] = rows;
  const percent = (removed / count) * 100;
  if (percent > most)
    throw new SpecError(
      `The update would remove ${removed} of the ${count} hosts of this source (${Math.round(percent * 10) / 10} %), more than the ${most} % of max_removed_percent. Nothing was changed. If that is meant, raise max_removed_percent and update again.`,
    );
}

/** What refuses a write of the API refuses the update with the same words. */
async function refusedPlainly(ask: () => Promise<void>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new SpecError(`The update was refused: ${error.message} Nothing was changed.`);
  }
}

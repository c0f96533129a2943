import { t } from '../texts/t.ts';
import { ApiFailure, get, post } from '../api/http.ts';
import type { Page } from '../api/types.ts';
import { nameOf, type Resource, type Row } from './resource.ts';

/** What a move changed. */
export interface Move {
  /** the one that it changed places with: that one up is the order of before */
  passed: Row;
  /** the order that it led to, by ids */
  order: readonly number[];
}

/**
 * Moves one of a list of links up. The API adds at the end: what stands before it, and all that follows, is linked again in the
 * new order. Resolves to nothing where it is the first already, or no longer there.
 * @param expected does nothing unless the order is still this one
 * @throws ApiFailure
 */
export async function oneUp(
  api: string,
  id: number,
  listed: Resource,
  expected?: readonly number[],
): Promise<Move | undefined> {
  const rows = await all(api);
  if (expected && expected.join() !== rows.map((row) => row.id).join())
    throw new ApiFailure(409, { detail: t`The order was changed since: it stays as it is.` });
  const at = rows.findIndex((row) => row.id === id);
  if (at < 1) return undefined;
  const passed = rows[at - 1]!;
  const moved = [passed, ...rows.slice(at + 1)];
  // linking what is linked changes nothing, but is refused to who may not link it: before anything is taken off
  for (const row of moved)
    // the first refusal ends it
    // oxlint-disable-next-line no-await-in-loop
    await post(api, { id: row.id });
  for (const row of moved)
    // their order is what counts
    // oxlint-disable-next-line no-await-in-loop
    await toTheEnd(api, row.id, nameOf(listed, row));
  return { passed, order: [...rows.slice(0, at - 1), rows[at]!, ...moved].map((row) => row.id) };
}

async function all(api: string): Promise<Row[]> {
  const rows: Row[] = [];
  let next: string | null = `${api}?page_size=200`;
  while (next) {
    // each page says where the next one is
    // oxlint-disable-next-line no-await-in-loop
    const page: Page<Row> = await get(next);
    rows.push(...page.results);
    next = page.next;
  }
  return rows;
}

async function toTheEnd(api: string, id: number, name: string): Promise<void> {
  const attach = () => post(api, { id });
  const problem: unknown = await post(api, { id, disassociate: true }).then(
    () => null,
    (error: unknown) => error,
  );
  // also where an answer was lost: it may be off
  await attach()
    .catch(attach)
    .catch((error: unknown) => {
      if (!(error instanceof ApiFailure)) throw error;
      throw new ApiFailure(error.status, { detail: t`${name} may be missing now: add it again. ${error.message}` });
    });
  if (problem) throw problem;
}

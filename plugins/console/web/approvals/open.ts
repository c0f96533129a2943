import { get, type Page, type Row } from '@tapline/console-kit';

/** It waits for the caller: who may decide it and has not voted yet. */
export const isOpen = (row: Row): boolean => row['can_approve_or_deny'] === true && row['user_has_voted'] !== true;

export interface Open {
  rows: Row[];
  /** not all that wait were looked at: there were enough before, or a great many for others */
  more: boolean;
}

const pageSize = 100;
/** Who sees thousands and may decide none does not read all of them after each word of one. */
const mostPages = 10;

/** Those that wait for the caller, oldest first. Only the answer tells which they are: it is read on until there are enough. */
export async function readOpen(enough: number, quiet: boolean): Promise<Open> {
  const rows: Row[] = [];
  let next: string | null = `workflow_approvals/?status=pending&order_by=id&page_size=${pageSize}`;
  for (let page = 0; next && rows.length < enough && page < mostPages; page++) {
    const found: Page<Row> = await get(next, { quiet });
    rows.push(...found.results.filter(isOpen));
    ({ next } = found);
  }
  return { rows, more: next !== null };
}

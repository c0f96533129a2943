import { ApiError, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Doors } from '../../../rbac/doors.ts';
import { counted } from './cleanup.ts';

type AskingDoors = Pick<Doors, 'check' | 'isGuarded'>;

/** What plugins' guards refuse to have removed: it stays. */
export interface Refusals {
  isGuarded(type: string): boolean;
  /**
   * Asks the guards about rows of a type, with all of them and their number. A no to many is asked again of each half, so that
   * only those stay that it is about. @returns the ids of those that may go
   */
  allowed(trx: Knex.Transaction, type: string, rows: readonly Row[]): Promise<number[]>;
  /** For the end of what is told; '' where nothing was refused. */
  told(what: string): string;
}

const shown = 10;

export function createRefusals(doors: AskingDoors): Refusals {
  let count = 0;
  const reasons: string[] = [];
  async function allowed(trx: Knex.Transaction, type: string, rows: readonly Row[]): Promise<number[]> {
    if (!rows.length || !doors.isGuarded(type, 'delete')) return rows.map(({ id }) => id);
    try {
      await trx.transaction((part) => doors.check(type, 'delete', { trx: part, actor: null, rows }));
      return rows.map(({ id }) => id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const [first] = rows;
      if (rows.length === 1) {
        count += 1;
        if (reasons.length < shown) reasons.push(`${type.replaceAll('_', ' ')} ${first!.id}: ${error.message}`);
        return [];
      }
      const half = Math.ceil(rows.length / 2);
      const before = await allowed(trx, type, rows.slice(0, half));
      return [...before, ...(await allowed(trx, type, rows.slice(half)))];
    }
  }
  return {
    isGuarded: (type) => doors.isGuarded(type, 'delete'),
    allowed,
    told(what) {
      if (!count) return '';
      const more = count > reasons.length ? [`and ${count - reasons.length} more`] : [];
      return ['', `${counted(count, what)} stayed, since plugins refused:`, ...reasons, ...more].join('\n');
    },
  };
}

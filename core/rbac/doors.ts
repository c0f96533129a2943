import type { GuardedWrite, Rule } from '@tapline/plugin-sdk';
import { allOf } from './rules.ts';

/** A further condition on which rows of a type exist for a caller; superusers are not exempt unless it says so. */
export type Restriction = Pick<Rule, 'row' | 'query'>;

export type Operation = 'create' | 'update' | 'delete' | 'attach' | 'detach';

/** Refuses by throwing an ApiError; what it does in `trx` ends with the write. */
export type Guard = (write: GuardedWrite) => Promise<void> | void;

/** The two ways in which access can be narrowed from outside a descriptor (design §3: `restrict` and `guard`). */
export interface Doors {
  restrict(type: string, name: string, restriction: Restriction): void;
  guard(type: string, operation: Operation, fn: Guard): void;
  /** The visibility rule of a type with every restriction on it. Restrictions that come later count as well, up to `freeze`. */
  visible(type: string, see: Rule): Rule;
  /** Runs the guards of one write, inside its transaction, in the order of their registration. */
  check(type: string, operation: Operation, write: Omit<GuardedWrite, 'count'> & { count?: number }): Promise<void>;
  freeze(): void;
}

export function createDoors(): Doors {
  const restrictions = new Map<string, Rule[]>();
  const guards = new Map<string, Guard[]>();
  let frozen = false;
  const add = <T>(map: Map<string, T[]>, key: string, value: T, call: string) => {
    if (frozen) throw new Error(`${call}("${key}") came too late: register it before the service starts`);
    map.set(key, [...(map.get(key) ?? []), value]);
  };
  return {
    restrict: (type, name, { row, query }) => add(restrictions, type, { name, row, query }, 'restrict'),
    guard: (type, operation, fn) => add(guards, `${type}.${operation}`, fn, 'guard'),
    visible: (type, see) => {
      let of: Rule[] | undefined;
      let narrowed = allOf(see);
      // a list that grows is another list
      const all = () => {
        const added = restrictions.get(type);
        if (added !== of) narrowed = allOf(see, ...((of = added) ?? []));
        return narrowed;
      };
      return {
        get name() {
          return all().name;
        },
        get anatomy() {
          return all().anatomy;
        },
        get restricted() {
          return restrictions.has(type);
        },
        row: (actor, row, db) => all().row(actor, row, db),
        query: (actor, builder, alias) => (restrictions.has(type) ? all() : see).query(actor, builder, alias),
      } as Rule;
    },
    check: async (type, operation, write) => {
      for (const guard of guards.get(`${type}.${operation}`) ?? [])
        await guard({ ...write, count: write.count ?? write.rows.length });
    },
    freeze: () => void (frozen = true),
  };
}

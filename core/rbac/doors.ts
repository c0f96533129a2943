import type { GuardedWrite, Rule } from '@tapline/plugin-sdk';
import { allOf, type CoreRule } from './rules.ts';

/** A further condition on which rows of a type exist for a caller; superusers are not exempt unless it says so. */
export type Restriction = Pick<Rule, 'row' | 'query'>;

export type Operation = 'create' | 'update' | 'delete' | 'attach' | 'detach';

/** Refuses by throwing an ApiError; what it does in `trx` ends with the write. */
export type Guard = (write: GuardedWrite) => Promise<void> | void;

/** The two ways in which access can be narrowed from outside a descriptor (design §3: `restrict` and `guard`). */
export interface Doors {
  restrict(type: string, name: string, restriction: Restriction): void;
  guard(type: string, operation: Operation, fn: Guard): void;
  /** Who sees the rows of a type, restrictions aside. */
  declare(type: string, see: Rule): void;
  /**
   * Who sees the rows of a type, with every restriction on it. The type may be declared later, and restrictions that come
   * later count as well, up to `freeze`. @throws Error, when it is asked, where nobody has declared the type
   */
  visible(type: string): Rule;
  /** Any other rule about rows of a type, narrowed to those that can be seen. */
  narrowed(type: string, rule: Rule): Rule;
  /** Runs the guards of one write, inside its transaction, in the order of their registration. */
  check(type: string, operation: Operation, write: Omit<GuardedWrite, 'count'> & { count?: number }): Promise<void>;
  /** Whether anybody is asked: what changes thousands of rows reads them only then. */
  isGuarded(type: string, operation: Operation): boolean;
  freeze(): void;
}

export function createDoors(): Doors {
  const restrictions = new Map<string, Rule[]>();
  const declared = new Map<string, Rule>();
  const guards = new Map<string, Guard[]>();
  let frozen = false;
  const add = <T>(map: Map<string, T[]>, key: string, value: T, call: string) => {
    if (frozen) throw new Error(`${call}("${key}") came too late: register it before the service starts`);
    map.set(key, [...(map.get(key) ?? []), value]);
  };
  return {
    restrict: (type, name, { row, query }) => add(restrictions, type, { name, row, query }, 'restrict'),
    guard: (type, operation, fn) => add(guards, `${type}.${operation}`, fn, 'guard'),
    declare: (type, see) => void declared.set(type, see),
    visible: (type) => {
      let of: { see: Rule | undefined; added: Rule[] | undefined; whole: CoreRule } | undefined;
      const whole = () => {
        const [see, added] = [declared.get(type), restrictions.get(type)];
        if (!see) throw new Error(`nobody has declared who sees rows of the type ${type}`);
        // a list that grows is another list
        if (of?.see !== see || of.added !== added) of = { see, added, whole: allOf(see, ...(added ?? [])) };
        return of.whole;
      };
      return {
        name: `visible ${type}`,
        get parts() {
          return whole().parts;
        },
        get restricted() {
          return restrictions.has(type);
        },
        row: (actor, row, db) => whole().row(actor, row, db),
        query: (actor, builder, alias) => whole().query(actor, builder, alias),
      } satisfies CoreRule;
    },
    narrowed: (type, rule) => {
      const added = restrictions.get(type);
      return added ? allOf(rule, ...added) : rule;
    },
    check: async (type, operation, write) => {
      for (const guard of guards.get(`${type}.${operation}`) ?? [])
        await guard({ ...write, count: write.count ?? write.rows.length });
    },
    isGuarded: (type, operation) => guards.has(`${type}.${operation}`),
    freeze: () => void (frozen = true),
  };
}

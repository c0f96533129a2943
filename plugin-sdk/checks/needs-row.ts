import type { Actor, Builder, Rule } from '../resource.ts';

const anybody: Actor = {
  id: 0,
  username: '',
  is_superuser: false,
  is_system_auditor: false,
  read_only: false,
  via: 'basic',
};
/** Rules may go different ways for each of them. */
export const callers: readonly Actor[] = [
  anybody,
  { ...anybody, is_system_auditor: true },
  { ...anybody, is_superuser: true },
];

/**
 * Whether a rule can be judged only with a row at hand: its query form speaks of the row, and its row form throws
 * without one. Routes and actions of lists have none.
 */
export async function needsRow(rule: Rule): Promise<boolean> {
  return callers.some((actor) => speaksOfRow(rule, actor)) && (await throwsWithoutRow(rule));
}

async function throwsWithoutRow(rule: Rule): Promise<boolean> {
  for (const actor of callers) {
    try {
      await rule.row(actor, undefined as never);
    } catch {
      return true;
    }
  }
  return false;
}

const alias = 'the_row';

/** Runs the query form over a builder that only listens. */
function speaksOfRow(rule: Rule, actor: Actor): boolean {
  let spoken = false;
  const listen = (value: unknown, depth = 0): void => {
    if (typeof value === 'string') spoken ||= value.includes(alias);
    else if (typeof value === 'function') value.call(builder, builder);
    else if (typeof value === 'object' && value !== null && value !== builder && depth < 5)
      for (const [key, inner] of Object.entries(value)) {
        listen(key);
        listen(inner, depth + 1);
      }
  };
  const builder: Builder = new Proxy((() => undefined) as unknown as Builder, {
    // a thenable would be waited for
    get: (_, key) => (typeof key === 'symbol' || key === 'then' ? undefined : builder),
    apply(_, _this, given: unknown[]) {
      for (const value of given) if (value !== builder) listen(value);
      return builder;
    },
  });
  try {
    rule.query(actor, builder, alias);
  } catch {
    // what is wrong with it shows where it is tried on the database
  }
  return spoken;
}

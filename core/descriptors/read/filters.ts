import { type Actor, listParameters } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { badFilter, type FilterTerm, parseFilterKey } from './filter-key.ts';
import { type Asking, followStep, leadsNowhere, type Step, resolvePath } from './filter-path.ts';
import { type Condition, fieldCondition, filterBoolean } from './filter-value.ts';
import type { Model } from '../model.ts';
import { searchConditions } from './search.ts';

/** Terms over the same relation speak of the same related row, unless `chain__` parts them. */
interface Branch {
  conditions: Condition[];
  below: Map<string, { step: Step; branch: Branch }>;
}

export interface Bound {
  term: FilterTerm;
  steps: Step[];
  conditions: Condition[];
  not: boolean;
}

const maxTerms = 200;
const newBranch = (): Branch => ({ conditions: [], below: new Map() });

/** Adds every filter of the query string; `builder` selects from the model's table under `alias`. */
export function applyFilters(
  asking: Asking,
  model: Model,
  query: URLSearchParams,
  builder: Knex.QueryBuilder,
  alias: string,
): void {
  const { parameters = {} } = model.resource;
  const terms = [...query]
    .filter(([key]) => !listParameters.has(key) && !Object.hasOwn(parameters, key))
    .map(([key, value]) => parseFilterKey(key, value));
  if (!terms.length) return;
  if (terms.length > maxTerms) throw badFilter(`More than ${maxTerms} filters in one request.`);
  const write = filterWriter(asking.actor);
  const searches = terms.filter(({ lookup }) => lookup === 'search');
  const bound = terms.filter(({ lookup }) => lookup !== 'search').map((term) => bind(asking, model, term));

  const shared = newBranch();
  for (const one of bound) {
    if (one.term.or) continue;
    if (one.not || one.term.chain) write.one(builder, one, alias);
    else grow(shared, one);
  }
  write.branch(builder, shared, alias);
  const either = bound.filter(({ term }) => term.or);
  if (either.length)
    builder.where((some) => either.forEach((one) => some.orWhere((part) => write.one(part, one, alias))));
  if (searches.length) {
    builder.where((any) => {
      for (const term of searches)
        any.orWhere((all) => relatedSearch(asking, model, term).forEach((one) => write.one(all, one, alias)));
    });
  }
}

export function bind(asking: Asking, model: Model, term: FilterTerm): Bound {
  if (leadsNowhere(asking.models, model, term.path[0]!)) {
    const empty = term.lookup === 'isnull' && filterBoolean(term);
    return { term, steps: [], conditions: [{ sql: () => 'false', bindings: [] }], not: term.not !== empty };
  }
  const path = resolvePath(asking, model, term.path, term.key);
  const field = path.field ?? path.model.fields.get('id')!;
  const link = !path.field || field.kind === 'ref';
  if (!path.field && !['exact', 'in', 'isnull'].includes(term.lookup))
    throw badFilter(`${term.key}: a relation knows exact, in, isnull and search only.`);
  if (link && term.lookup === 'exact' && /^(null|none)$/i.test(term.value))
    return bind(asking, model, { ...term, lookup: 'isnull', value: 'true' });
  // "the related row's field is null" holds as well where there is no related row
  if (term.lookup === 'isnull' && path.steps.length && filterBoolean(term)) {
    return {
      term,
      steps: path.steps,
      conditions: [fieldCondition(field, { ...term, value: 'false' })],
      not: !term.not,
    };
  }
  return { term, steps: path.steps, conditions: [fieldCondition(field, term)], not: term.not };
}

/** `<relation>__search=a,b`: every word somewhere in the related type's search fields. */
export function relatedSearch(asking: Asking, model: Model, term: FilterTerm): Bound[] {
  const path = resolvePath(asking, model, term.path, term.key);
  const last = path.field && resolvePath(asking, model, [...term.path, 'id'], term.key);
  const { steps, model: target } = last ?? path;
  if (!steps.length) throw badFilter(`${term.key}: search works behind a relation only.`);
  return searchConditions(target, term.value, ['playbook']).map((condition) => ({
    term,
    steps,
    conditions: [condition],
    not: term.not,
  }));
}

function grow(branch: Branch, { steps, conditions }: Bound): void {
  let at = branch;
  for (const step of steps) {
    const next = at.below.get(step.name) ?? { step, branch: newBranch() };
    at.below.set(step.name, next);
    at = next.branch;
  }
  at.conditions.push(...conditions);
}

export function filterWriter(actor: Actor | null) {
  let made = 0;

  function branch(builder: Knex.QueryBuilder, { conditions, below }: Branch, alias: string): void {
    for (const { sql, bindings } of conditions) builder.whereRaw(sql(alias), bindings);
    for (const { step, branch: inner } of below.values()) {
      const name = `f${++made}`;
      builder.whereExists((related: Knex.QueryBuilder) => {
        followStep(step, related, alias, name);
        // rows that the caller may not see cannot be probed through a relation either
        step.target.resource.access.see.query(actor, related, name);
        branch(related, inner, name);
      });
    }
  }

  function one(builder: Knex.QueryBuilder, bound: Bound, alias: string): void {
    const { steps, conditions, not } = bound;
    const tree = newBranch();
    grow(tree, bound);
    if (!not) branch(builder, tree, alias);
    // `is not true` and not `not`: rows without a value differ from every value
    else if (!steps.length)
      for (const { sql, bindings } of conditions) builder.whereRaw(`(${sql(alias)}) is not true`, bindings);
    else builder.whereNot((inner) => branch(inner, tree, alias));
  }

  return { branch, one };
}

import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { expand, type Model } from '../model.ts';
import { containedJson } from './document-path.ts';
import { type Atom, type Expression, parseExpression } from './expression.ts';
import { badFilter, parseFilterKey } from './filter-key.ts';
import type { Asking, Step } from './filter-path.ts';
import { type Bound, bind, filterWriter, relatedSearch } from './filters.ts';
import { searchConditions } from './search.ts';

export interface ExpressionOptions {
  /** refuses a relation by throwing */
  through?: (step: Step) => void;
}

type Written = Bound | { parts: Written[]; is: 'and' | 'or' };

/**
 * Compiles an expression (`Resource.expression`) at once and resolves to what narrows a query by it, as often as is wanted.
 * @throws ApiError 400 or 403 that says what is wrong, and where
 */
export function compileExpression(
  asking: Asking,
  model: Model,
  text: string,
  options: ExpressionOptions = {},
): (builder: Knex.QueryBuilder, alias: string) => void {
  const written = convert(parseExpression(text), (atom) => located(atom, () => bindAtom(asking, model, atom, options)));
  return (builder, alias) => {
    const write = filterWriter(asking.actor);
    const add = (part: Written, to: Knex.QueryBuilder): void => {
      if (!('parts' in part)) write.one(to, part, alias);
      else
        to.where((group) =>
          part.parts.forEach((one) =>
            part.is === 'and' ? group.where((inner) => add(one, inner)) : group.orWhere((inner) => add(one, inner)),
          ),
        );
    };
    builder.where((group) => add(written, group));
  };
}

const convert = (expression: Expression, atom: (atom: Atom) => Written): Written =>
  expression.is === 'atom'
    ? atom(expression)
    : { is: expression.is, parts: expression.parts.map((part) => convert(part, atom)) };

function located<T>({ at, key }: Atom, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(error.status, `at character ${at}, ${key}: ${String(error.body.detail)}`);
  }
}

function bindAtom(asking: Asking, model: Model, atom: Atom, { through }: ExpressionOptions): Written {
  const { key, value, quoted, not } = atom;
  const { documents = {} } = model.resource.expression ?? {};
  const pieces = key.split('__');
  const denied = pieces.length > 1 && pieces[0] === 'not';
  const document = pieces[denied ? 1 : 0]!;
  if (Object.hasOwn(documents, document)) {
    const path = pieces.slice(denied ? 2 : 1);
    if (!path.length) throw badFilter(`name something in ${document}: ${document}__name=value.`);
    const condition = {
      sql: (alias: string) => expand(documents[document]!, alias),
      bindings: [containedJson(path, value, quoted)],
    };
    return { steps: [], conditions: [condition], not: not !== denied, term: parseFilterKey(document, value) };
  }
  const term = parseFilterKey(key, value);
  if (term.or || term.chain) throw badFilter('say or and and between conditions: or__ and chain__ are not known here.');
  const parts = boundOf(asking, model, quoted ? term : withNull(term));
  for (const { steps } of parts) for (const step of steps) through?.(step);
  const bound = parts.map((one) => ({ ...one, not: one.not !== not }));
  return bound.length === 1 ? bound[0]! : { is: term.not !== not ? 'or' : 'and', parts: bound };
}

type Term = ReturnType<typeof parseFilterKey>;

const withNull = (term: Term): Term =>
  term.value === 'null' && term.lookup === 'exact' ? { ...term, lookup: 'isnull', value: 'true' } : term;

function boundOf(asking: Asking, model: Model, term: Term): Bound[] {
  if (term.path[0] === 'search' && term.path.length === 1 && term.lookup === 'exact')
    return searchConditions(model, `"${term.value}"`).map((condition) => ({
      term,
      steps: [],
      conditions: [condition],
      not: term.not,
    }));
  if (term.lookup === 'search') return relatedSearch(asking, model, term);
  return [bind(asking, model, term)];
}

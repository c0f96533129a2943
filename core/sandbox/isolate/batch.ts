import { EvaluationError } from './errors.ts';
import { evaluate, scopeOf } from './evaluate.ts';
import { inspect, type Inspection } from './inspect.ts';
import { type Node, soleExpression } from './parse.ts';
import { render } from './render.ts';
import { fromJson, toJson } from './values.ts';

/** Templates, or expressions, each with the number of the context that it is rendered with. */
export interface Batch {
  templates: { template: string; context: number }[];
  contexts: Record<string, unknown>[];
}

export type Tried<Value> = { value: Value } | { error: { kind: EvaluationError['kind']; message: string } };

type Parse = (source: string) => Node;

export const failureOf = (error: unknown): { kind: EvaluationError['kind']; message: string } =>
  error instanceof EvaluationError
    ? { kind: error.kind, message: error.message }
    : // a stack that is too deep: the text was nested without end
      { kind: 'error', message: String((error as Error)?.message ?? error) };

function attempt<Value>(work: () => Value): Tried<Value> {
  try {
    return { value: work() };
  } catch (error) {
    return { error: failureOf(error) };
  }
}

/** Nothing that an expression can do changes its context, so those that share one have it read once. */
export function evaluateEach(parse: Parse, { templates, contexts }: Batch): Tried<unknown>[] {
  const scopes = contexts.map((context) => scopeOf(fromJson(context) as Map<string, unknown>));
  return templates.map(({ template, context }) =>
    attempt(() => toJson(evaluate(soleExpression(parse, template), scopes[context]!))),
  );
}

/** All of them together may become `most` characters long; a name without a value is shown as nothing. */
export function renderEach(parse: Parse, { templates, contexts }: Batch, most: number): Tried<string>[] {
  const scopes = contexts.map((context) => () => scopeOf(fromJson(context) as Map<string, unknown>, true));
  let left = most;
  return templates.map(({ template, context }) =>
    attempt(() => {
      const text = render(parse(template), scopes[context]!(), left);
      left -= text.length;
      return text;
    }),
  );
}

export const inspectEach = (parse: Parse, { templates }: Batch): Tried<Inspection>[] =>
  templates.map(({ template }) => attempt(() => inspect(parse(template))));

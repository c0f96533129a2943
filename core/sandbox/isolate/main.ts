import { type Batch, evaluateEach, failureOf, inspectEach, renderEach } from './batch.ts';
import type { EvaluationError } from './errors.ts';
import { evaluate, scopeOf } from './evaluate.ts';
import { createParser, soleExpression } from './parse.ts';
import { render } from './render.ts';
import { fromJson, toJson } from './values.ts';

export interface Work {
  /** of those of many the context is a `Batch`, and there is no source */
  kind: 'evaluate' | 'render' | 'evaluateEach' | 'renderEach' | 'inspectEach';
  source: string;
  /** of the answer, in characters */
  maxOutput: number;
}

export type Outcome = { value: unknown } | { error: { kind: EvaluationError['kind']; message: string } };

/** Evaluates or renders; what goes wrong is an answer, never a throw. */
export function createRunner(nunjucks: Parameters<typeof createParser>[0]): (work: Work, context: unknown) => Outcome {
  const parse = createParser(nunjucks);
  return ({ kind, source, maxOutput }, context) => {
    try {
      if (kind === 'evaluateEach') return { value: evaluateEach(parse, context as Batch) };
      if (kind === 'renderEach') return { value: renderEach(parse, context as Batch, maxOutput) };
      if (kind === 'inspectEach') return { value: inspectEach(parse, context as Batch) };
      const scope = scopeOf(fromJson(context) as Map<string, unknown>);
      if (kind === 'render') return { value: render(parse(source), scope, maxOutput) };
      return { value: toJson(evaluate(soleExpression(parse, source), scope)) };
    } catch (error) {
      return { error: failureOf(error) };
    }
  };
}

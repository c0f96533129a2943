import { type Batch, failureOf, inspectEach, renderEach } from './batch.ts';
import { EvaluationError } from './errors.ts';
import { evaluate, scopeOf } from './evaluate.ts';
import { createParser, type Node } from './parse.ts';
import { render } from './render.ts';
import { fromJson, toJson } from './values.ts';

export interface Work {
  /** of the last two the context is a `Batch`, and there is no source */
  kind: 'evaluate' | 'render' | 'renderEach' | 'inspectEach';
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
      if (kind === 'renderEach') return { value: renderEach(parse, context as Batch, maxOutput) };
      if (kind === 'inspectEach') return { value: inspectEach(parse, context as Batch) };
      const scope = scopeOf(fromJson(context) as Map<string, unknown>);
      if (kind === 'render') return { value: render(parse(source), scope, maxOutput) };
      return { value: toJson(evaluate(soleExpression(parse(`{{ ${source} }}`)), scope)) };
    } catch (error) {
      return { error: failureOf(error) };
    }
  };
}

/** An expression that closes its braces would be a template. */
function soleExpression(root: Node): Node {
  const [output] = root.children;
  if (
    root.children.length !== 1 ||
    output.typename !== 'Output' ||
    output.children.length !== 1 ||
    output.children[0].typename === 'TemplateData'
  )
    throw new EvaluationError('syntax', 'one expression is expected');
  return output.children[0];
}

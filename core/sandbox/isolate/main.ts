import { EvaluationError } from './errors.ts';
import { evaluate, scopeOf } from './evaluate.ts';
import { createParser } from './parse.ts';
import { render } from './render.ts';
import { fromJson, toJson } from './values.ts';

export interface Work {
  kind: 'evaluate' | 'render';
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
      const scope = scopeOf(fromJson(context) as Map<string, unknown>);
      if (kind === 'render') return { value: render(parse(source), scope, maxOutput) };
      return { value: toJson(evaluate(soleExpression(parse(`{{ ${source} }}`)), scope)) };
    } catch (error) {
      if (error instanceof EvaluationError) return { error: { kind: error.kind, message: error.message } };
      // a stack that is too deep: the text was nested without end
      return { error: { kind: 'error', message: String((error as Error)?.message ?? error) } };
    }
  };
}

/** An expression that closes its braces would be a template. */
function soleExpression(root: any): any {
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

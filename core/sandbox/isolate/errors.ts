/** What went wrong, in the words of the user's expression. Everything in this folder also runs inside the isolate: it imports nothing from outside. */
export class EvaluationError extends Error {
  readonly kind: 'syntax' | 'undefined' | 'error';

  constructor(kind: EvaluationError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export const wrong = (message: string): EvaluationError => new EvaluationError('error', message);

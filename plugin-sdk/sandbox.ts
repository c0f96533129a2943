import { isErrorOf } from './errors.ts';

/** Of an expression or template that was to be evaluated (`SandboxService`). */
export class SandboxError extends Error {
  override name = 'SandboxError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, SandboxError, value, ({ name }) => name === 'SandboxError');
  }

  /**
   * `unavailable`: nobody could be asked, since the service stops, too much waits, or what evaluates did not start, was ended
   * from outside or was given no time by a busy machine. All others are about what was asked, and asking again changes nothing.
   */
  readonly kind: 'syntax' | 'undefined' | 'timeout' | 'memory' | 'output' | 'error' | 'unavailable';

  constructor(kind: SandboxError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Could nobody be asked? Then nothing is known of the text: ask again later, or let the error pass (a request answers 503, a
 * task is tried again). Never take it for an answer, such as that a condition does not hold.
 */
export const isUnavailable = (error: unknown): error is SandboxError =>
  error instanceof SandboxError && error.kind === 'unavailable';

/**
 * Does the error say something about the text and its context: no expression, a name without a value, time or memory used up
 * by it? Then it may be told to whoever wrote it. False for every other error, also for those of other things than the sandbox.
 */
export const saysWhatIsWrong = (error: unknown): error is SandboxError =>
  error instanceof SandboxError && error.kind !== 'unavailable';

type ErrorClass = abstract new (...parts: never[]) => Error;

/**
 * `value instanceof asked` where the error may come from another copy of the SDK, which a plugin that was bundled or is
 * tested brings along: such a one is known by its name and form. Classes that others derive go by the prototype, as usual.
 */
export function isErrorOf(asked: unknown, own: ErrorClass, value: unknown, alike: (error: Error) => boolean): boolean {
  const ordinary = Function.prototype[Symbol.hasInstance].call(asked as ErrorClass, value);
  return ordinary || (asked === own && value instanceof Error && alike(value));
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Other libraries have an ApiError as well. */
const isAnswer = (names: readonly string[]) => (error: Error & Partial<ApiError>) =>
  names.includes(error.name) && Number.isInteger(error.status) && isObject(error.body) && isObject(error.headers);

/**
 * An answer to the client, thrown. The HTTP layer turns it into the error envelope
 * (`{ detail }`, or the given body as it is); anything else thrown becomes a 500 without details.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, ApiError, value, isAnswer(['ApiError', 'ValidationError']));
  }

  /**
   * @param status HTTP status, 4xx or 503
   * @param body   a text becomes `{ detail: text }`, an object is sent as it is
   */
  constructor(status: number, body: string | Record<string, unknown>, headers: Record<string, string> = {}) {
    super(typeof body === 'string' ? body : JSON.stringify(body));
    this.name = 'ApiError';
    this.status = status;
    this.body = typeof body === 'string' ? { detail: body } : body;
    this.headers = headers;
  }
}

export type FieldErrors = Record<string, unknown>;

/** 400 with one list of messages per field; whole-object rules go under `__all__`. */
export class ValidationError extends ApiError {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, ValidationError, value, isAnswer(['ValidationError']));
  }

  constructor(errors: FieldErrors) {
    super(400, errors);
    this.name = 'ValidationError';
  }

  static field(name: string, message: string): ValidationError {
    return new ValidationError({ [name]: [message] });
  }
}

export const notFound = (detail = 'Not found.') => new ApiError(404, detail);
export const forbidden = (detail = 'You do not have permission to perform this action.') => new ApiError(403, detail);
export const methodNotAllowed = (method: string, allow: string) =>
  new ApiError(405, `Method "${method}" not allowed.`, { Allow: allow });

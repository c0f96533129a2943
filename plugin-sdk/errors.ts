/**
 * An answer to the client, thrown. The HTTP layer turns it into the error envelope
 * (`{ detail }`, or the given body as it is); anything else thrown becomes a 500 without details.
 */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

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

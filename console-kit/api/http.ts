import { t } from '../texts/t.ts';
/** Field errors by field name; what belongs to no field under `__all__`. */
export type FieldErrors = Record<string, string[]>;

/** The service refused, or could not be reached (status 0). */
export class ApiFailure extends Error {
  readonly status: number;
  readonly body: any;
  readonly retryAfter: number | null;

  constructor(status: number, body: any, retryAfter: number | null = null) {
    super(messageOf(status, body));
    this.status = status;
    this.body = body;
    this.retryAfter = retryAfter;
  }

  /** Errors by field, for forms. */
  get fields(): FieldErrors {
    if (this.status !== 400 || typeof this.body !== 'object' || this.body === null) return {};
    return Object.fromEntries(Object.entries(this.body).map(([field, errors]) => [field, textsOf(errors)]));
  }
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value.flatMap(textsOf)
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => textsOf(inner).map((text) => `${key}: ${text}`))
      : [String(value)];

function messageOf(status: number, body: any): string {
  if (status === 0) return t`The service cannot be reached. Is it running, and are you online?`;
  const text = body?.detail ?? body?.error ?? body?.msg ?? body?.__all__;
  if (text !== undefined) return textsOf(text).join(' ');
  if (typeof body === 'object' && body !== null && status === 400) return textsOf(body).join(' ');
  return t`The service answered with status ${status}.`;
}

export function cookie(name: string): string | null {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}

interface Options {
  body?: unknown;
  /** Nobody asked for it just now: it must not keep an idle session alive. */
  quiet?: boolean;
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

const writes = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
let onUnauthenticated: () => void = () => undefined;

/** What happens when a session has ended; set once by the session. */
export const whenUnauthenticated = (listener: () => void): void => void (onUnauthenticated = listener);

/** Paths without a leading slash are below /api/v2/. @throws ApiFailure */
export async function request<T = any>(method: string, path: string, options: Options = {}): Promise<T> {
  const { body, quiet, signal, headers = {} } = options;
  const response = await fetch(path.startsWith('/') ? path : `/api/v2/${path}`, {
    method,
    signal: signal ?? null,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(writes.has(method) ? { 'X-CSRFToken': cookie('csrftoken') ?? '' } : {}),
      ...(quiet ? { 'X-WS-Session-Quiet': '1' } : {}),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  }).catch(unreachable(signal));
  // the connection may be cut in the middle of an answer as well
  const text = await response.text().catch(unreachable(signal));
  const json = response.headers.get('content-type')?.includes('json') && text !== '';
  const parsed = json ? JSON.parse(text) : text;
  if (response.ok) return parsed as T;
  if (response.status === 401) onUnauthenticated();
  throw new ApiFailure(response.status, parsed, Number(response.headers.get('retry-after')) || null);
}

const unreachable = (signal: AbortSignal | undefined) => (error: unknown) => {
  if (signal?.aborted) throw error;
  throw new ApiFailure(0, null);
};

export const get = <T = any>(path: string, options?: Options) => request<T>('GET', path, options);
export const post = <T = any>(path: string, body: unknown = {}, options: Options = {}) =>
  request<T>('POST', path, { ...options, body });

/** Random enough to name one attempt; `crypto.randomUUID` is missing on pages served over plain HTTP. */
export const attemptKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

import type { Actor } from './resource.ts';
import type { Denial, Origin } from './hooks.ts';

/** Structured log lines, tagged with the plugin's id. Secrets are redacted by the names of their keys. */
export interface PluginLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface LaunchRequest {
  job_template: number;
  /** the launch body as clients send it: `extra_vars`, `limit`, `inventory`, … */
  prompts?: Record<string, unknown>;
  /** who wanted it */
  actor: Actor | null;
  /** whose rights are used; default `actor` */
  authority?: Actor | null;
  origin: Origin;
  /**
   * true: the caller takes the answer, so what is wrong is thrown and a denied run is deleted;
   * false: nobody waits, the run is kept as `failed` with the reasons in `job_explanation`
   */
  waiting: boolean;
}

export interface LaunchService {
  /** Starts a job template the way every launch goes. @throws ValidationError, ApiError when `waiting` */
  start(request: LaunchRequest): Promise<{ id: number; status: string }>;
}

/** One line of the audit trail and the activity stream; in `trx` it commits with the change that it tells of. */
export interface AuditService {
  record(entry: {
    action: string;
    actor: Actor | null;
    object?: { type: string; id: number; name: string };
    organization?: number | null;
    changes?: Record<string, unknown>;
    trx?: any;
  }): Promise<void>;
}

export interface NotifyService {
  /**
   * Hands a message to a notification kind (extension point `notification.kind`).
   * @throws Error when no plugin offers that kind
   */
  send(message: { kind: string; configuration: Record<string, unknown>; subject: string; body: string }): Promise<void>;
}

/** Expressions and templates that users wrote, run in an isolate of a separate process. */
export interface SandboxService {
  /** The value of a Jinja2 expression. @throws SandboxError with `kind`: syntax, undefined, timeout, memory */
  evaluate(expression: string, context: Record<string, unknown>, limits?: SandboxLimits): Promise<unknown>;
  /** The text of a Jinja2 template. @throws SandboxError */
  render(template: string, context: Record<string, unknown>, limits?: SandboxLimits): Promise<string>;
}

export interface SandboxLimits {
  /** milliseconds, default 1000 */
  timeoutMs?: number;
  /** bytes of the answer, default 262 144 */
  maxOutput?: number;
}

export class SandboxError extends Error {
  override name = 'SandboxError';
  readonly kind: 'syntax' | 'undefined' | 'timeout' | 'memory' | 'output' | 'error';

  constructor(kind: SandboxError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** milliseconds for the whole exchange, default 10 000 */
  timeoutMs?: number;
  /** bytes of the answer, default 1 048 576 */
  maxBytes?: number;
  /** false: accept any TLS certificate; default true */
  verifyTls?: boolean;
  /** the address comes from a deployment setting, not from a user: private networks are allowed */
  trusted?: boolean;
}

/** The only way out to addresses that users gave: checked when connecting, no redirects, limits on size and time. */
export interface HttpService {
  /** @throws OutboundError naming the setting that would open a refused network */
  request(
    url: string,
    options?: HttpRequest,
  ): Promise<{ status: number; headers: Record<string, string>; body: Buffer }>;
}

export class OutboundError extends Error {
  override name = 'OutboundError';
}

/** Where a secret is stored: it can be opened from there and from nowhere else. */
export interface SecretCell {
  /** plain name of a table of the plugin */
  table: string;
  column: string;
  /** the row's id; in a side table the core row's */
  id: number | string;
}

/**
 * Secrets at rest. What clients write into fields with `secret: true`, of the plugin's own resources and of its
 * extensions, is stored sealed; it is opened here where it is needed. Both throw an Error that names the cell.
 */
export interface SecretService {
  /** '' stays '' */
  open(stored: string, cell: SecretCell): string;
  /** for columns that no field shows */
  seal(plain: string, cell: SecretCell): string;
}

export interface Clock {
  now(): Date;
}

export interface Tracer {
  /** Runs `work` inside a span; attributes may be set on it. Costs nothing while no tracing plugin is on. */
  span<T>(
    name: string,
    work: (span: { set(attributes: Record<string, string | number | boolean>): void }) => T | Promise<T>,
  ): Promise<T>;
}

export type { Denial };

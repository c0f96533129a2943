import type { Knex } from 'knex';
import { isErrorOf } from './errors.ts';
import type { SandboxError } from './sandbox.ts';
import type { Actor } from './resource.ts';
import type { Denial, LaunchWork } from './hooks.ts';
import type { Origin } from './rows/runs.ts';

/** Structured log lines, tagged with the plugin's id. Secrets are redacted by the names of their keys. */
export interface PluginLog {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

export interface LaunchRequest {
  /** number of a template of any kind: a job template, a project that is fetched, one of a plugin's */
  template: number;
  /** the launch body as clients send it: `extra_vars`, `limit`, `inventory`, …; what the template does not ask for is ignored */
  prompts?: Readonly<Record<string, unknown>>;
  /**
   * variables that count whether the template asks for any or not. Only for origins that may carry them (`event`,
   * `callback`, `webhook`, `workflow`, and those that a plugin declared so by `api.origin`): else ApiError 400
   */
  variables?: Readonly<Record<string, unknown>>;
  /** who wanted it */
  actor: Actor | null;
  /** whose rights are used; default `actor`. null: nobody's are asked about */
  authority?: Actor | null;
  origin: Origin;
  /** the run that launches it: its kind's `follow` learns of each move */
  parent?: number;
  /**
   * true: the caller takes the answer, so what is wrong is thrown and a denied run is deleted;
   * false: nobody waits, the run is kept as `failed` with the reasons in `job_explanation`
   */
  waiting: boolean;
  /**
   * A text of the plugin's that stands for this launch, at most 200 characters: whatever dies and however often it is asked for,
   * one run is started. Whoever asks again is given that run as it is now, and ApiError 503 while taps still decide about it, or for
   * half a minute after the process died that asked them; once the run is deleted, the text is free again.
   */
  once?: string;
}

export interface LaunchService {
  /**
   * Starts a template the way every launch goes. @throws ApiError 403 where `authority` may not launch the template, waiting or not;
   * ValidationError, ApiError when `waiting`
   */
  start(request: LaunchRequest): Promise<{ id: number; kind: string; status: string }>;
  /** What a launch with this mark led to earlier, whatever became of rights and templates since. */
  launched(once: string): Promise<{ id: number; kind: string; status: string } | undefined>;
  /** What is wrong with a launch, by field, without launching; {} when nothing is. @throws ApiError 403 for missing rights */
  check(request: LaunchRequest): Promise<Record<string, unknown>>;
}

/** Runs that there are, of whatever kind. */
export interface RunService {
  /** Asks a run to end, as `cancel/` does; false when it had ended already. Whether somebody may is the caller's to ask. */
  cancel(run: number, actor: Actor | null): Promise<boolean>;
  /**
   * Ends a run of one of the plugin's own kinds that needs nobody, inside `trx`; false when it had ended already.
   * @throws Error for a run of another kind
   */
  end(
    trx: Knex,
    run: number,
    status: 'successful' | 'failed' | 'error' | 'canceled',
    explanation?: string,
  ): Promise<boolean>;
}

/**
 * One event of the audit log, which is never changed, and one entry of the activity stream; in `trx` they commit with the change that
 * they tell of. The log calls an action that is none of the stream's own operations `<plugin>.<action>`.
 */
export interface AuditService {
  record(entry: AuditRecord & { trx?: Knex }): Promise<void>;
  /** Any number of them in one statement. */
  recordAll(trx: Knex, entries: readonly AuditRecord[]): Promise<void>;
}

export interface AuditRecord {
  action: string;
  actor: Actor | null;
  object?: { type: string; id: number; name: string };
  organization?: number | null;
  changes?: Record<string, unknown>;
}

export interface NotifyService {
  /**
   * Hands a message to a notification kind (extension point `points.notificationKind`) at once, and leaves no record.
   * @throws Error when there is no such kind, or it did not take the message
   */
  send(message: { kind: string; configuration: Record<string, unknown>; subject: string; body: string }): Promise<void>;
  /**
   * Sends by a notification template, from the queue, with its tries and its record in `notifications/`. Resolves to the
   * notification's id once it is stored.
   * @throws Error when there is no such template
   */
  deliver(message: NotificationRequest): Promise<number>;
}

export interface NotificationRequest {
  /** id of a notification template */
  template: number;
  subject: string;
  /** a text; of a template whose kind sends JSON it becomes `{ "body": text }` unless it is JSON itself */
  body?: string;
  /** stored in this transaction, and sent only when it commits */
  trx?: Knex;
  /** a task of the plugin that is enqueued with a `NotificationOutcome` in the transaction that ends the delivery */
  told?: { task: { name: string }; kept?: unknown };
}

/** Expressions and templates that users wrote, run in an isolate of a separate process. */
export interface SandboxService {
  /** The value of a Jinja2 expression. @throws SandboxError; `saysWhatIsWrong` and `isUnavailable` tell the text's fault from ours */
  evaluate(expression: string, context: Record<string, unknown>, limits?: SandboxLimits): Promise<unknown>;
  /**
   * Many expressions under one set of limits, which is far cheaper than each for itself. What is wrong with one is its answer.
   * @throws SandboxError for all of them, such as where one takes too long: ask for each alone then
   */
  evaluateEach(batch: SandboxBatch, limits?: SandboxLimits): Promise<SandboxAnswer[]>;
  /** The text of a Jinja2 template. @throws SandboxError */
  render(template: string, context: Record<string, unknown>, limits?: SandboxLimits): Promise<string>;
}

/** Expressions, each with the place of its context. */
export interface SandboxBatch {
  expressions: { expression: string; context: number }[];
  contexts: Record<string, unknown>[];
}

export type SandboxAnswer = { value: unknown } | { error: { kind: SandboxError['kind']; message: string } };

export interface SandboxLimits {
  /** milliseconds, default 1000 */
  timeoutMs?: number;
  /** bytes of the answer, default 262 144 */
  maxOutput?: number;
}

export interface HttpRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** milliseconds for the whole exchange, default 10 000 */
  timeoutMs?: number;
  /** bytes of the answer, default 1 048 576 */
  maxBytes?: number;
  /** the status counts: an answer that is longer, or does not end in time, is cut there and no error; default false */
  cut?: boolean;
  /** false: accept any TLS certificate; default true */
  verifyTls?: boolean;
  /** PEM texts: authorities to trust besides those that this machine trusts, and what the caller shows of itself */
  tls?: { ca?: string; cert?: string; key?: string };
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

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, OutboundError, value, ({ name }) => name === 'OutboundError');
  }
}

export interface ProgramRequest {
  /** the program and its arguments; `{folder}` is where the folder is seen, in `env` too */
  argv: readonly string[];
  /** what it looks at: shown to it read-only */
  folder: string;
  /** it works in that folder; else in an empty home of its own */
  inFolder?: boolean;
  /** further places of this machine that it needs, read-only: where it is installed. What of the service's data lies below stays hidden */
  shown?: readonly string[];
  /** beside PATH, HOME, LANG and TMPDIR; nothing of the service's environment is inherited */
  env?: Readonly<Record<string, string>>;
  /** it may reach the network; default false, where the sandbox can keep it from that */
  network?: boolean;
  /** milliseconds, at most 600 000; then all that it started is ended */
  timeoutMs: number;
  /** bytes of each of its outputs, default 8 MiB; a program that writes more is ended */
  maxBytes?: number;
  /** aborts as if its time were over */
  signal?: AbortSignal;
}

export interface ProgramEnd {
  ended: 'exited' | 'killed' | 'timeout' | 'too long' | 'not started';
  /** its exit status, where it ended by itself */
  code: number | null;
  stdout: Buffer;
  stderr: Buffer;
  /** from its start to its end */
  durationMs: number;
}

/** Programs that look at foreign files, run in the sandbox that playbooks have: another user, nothing of the service to be seen. */
export interface ProgramService {
  /** @throws Error only where no workspace could be made: what becomes of the program is told by how it ended */
  run(request: ProgramRequest): Promise<ProgramEnd>;
}

/** Files of projects outside of a launch, as launches would get them. */
export interface ContentService {
  /**
   * Does `work` with what launches of the project's templates would run now: each playbook of each branch once, named by one of its
   * templates. Nothing is updated for it. The files, made as far as they are asked for, go when `work` is done.
   * @throws what `work` throws; Error for more than 10 000 of them
   */
  ofProject<T>(
    project: number,
    options: { signal: AbortSignal },
    work: (works: readonly LaunchWork[]) => Promise<T>,
  ): Promise<T>;
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

/** Times that recur, and how long each of them lasts. */
export interface Recurring {
  /** DTSTART and rules, as those of schedules */
  rrule: string;
  /** RFC 5545: `PT8H`, `P1DT12H`, `P2W`, at most 366 days. Days and weeks are those of the calendar, also where clocks are changed. */
  duration: string;
  /** name of the zone whose clocks count where DTSTART names none */
  zone?: string;
}

export interface RecurrenceService {
  /**
   * The next spans of time, soonest first, of those that end after `from`; computed off the event loop. `most`: 1 to 1000.
   * @throws ValidationError by `rrule`, `duration` or `zone`: it is no rule, or its times take more than 5 s to find;
   * ApiError 503 when too much is asked at once
   */
  spans(recurring: Recurring, asked: { from: Date; most: number }): Promise<{ start: Date; end: Date }[]>;
}

/** What inventories hold, of whatever kind they are. */
export interface InventoryService {
  /**
   * Which of these hosts are in which of these inventories now, asked all at once: in a smart one those that its filter finds, in a
   * constructed one those that its own stand for, in a federated one all that it shows. A filter that works no more finds none.
   * Who may see what is not asked. `db`: the transaction of the caller.
   */
  holding(
    inventories: readonly number[],
    hosts: readonly number[],
    db?: Knex,
  ): Promise<{ inventory_id: number; host_id: number }[]>;
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

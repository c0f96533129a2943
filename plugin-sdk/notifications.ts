import type { Socket } from 'node:net';
import type { PluginApi } from './api.ts';
import { isErrorOf, ValidationError } from './errors.ts';
import type { WriteContext } from './resource.ts';
import type { HttpService } from './services.ts';

/** One key of a template's `notification_configuration`. */
export interface NotificationField {
  label: string;
  /** `password`: stored encrypted and shown as `$encrypted$`; `list`: of texts, at least one unless it is optional */
  type: 'string' | 'int' | 'bool' | 'list' | 'password' | 'object';
  /** what counts where nothing is sent; a field without it has to be sent, unless it is optional */
  default?: unknown;
  /** it may be left out, and then it is not there at all */
  optional?: true;
  help?: string;
}

/** What is sent. */
export interface NotificationMessage {
  /** with its secrets in plain: keep them out of errors and of what `send` resolves to */
  configuration: Record<string, unknown>;
  /** one line: the subject of a mail, the text of a chat; '' for kinds that send a body only */
  subject: string;
  /** of a kind whose `bodies` are `json`: the text of a JSON value */
  body: string;
}

export interface ConnectOptions {
  host: string;
  port: number;
  /** speak TLS from the first byte; default false */
  tls?: boolean;
  /** false: accept any certificate; default true */
  verifyTls?: boolean;
  /** milliseconds for connecting, default 10 000 */
  timeoutMs?: number;
}

/** What a kind sends with: the addresses of both are checked, as those of every user are. */
export interface NotificationTools {
  http: HttpService;
  /** A connection for a protocol other than HTTP. @throws OutboundError as `http` does */
  connect(options: ConnectOptions): Promise<Socket>;
  /** aborts when the delivery takes too long, and when the service stops */
  signal: AbortSignal;
  /** stands for this notification at every try, so that whoever receives it twice can tell; null for `api.notify.send` */
  id: number | null;
}

/** What became of a message that was taken. */
export interface Delivered {
  /** to how many it went, default 1 */
  sent?: number;
  /** what the receiver said, for the record */
  answer?: string;
}

/**
 * A way to send: the eleven of the service and those that plugins offer (`points.notificationKind`) are told alike. Whoever
 * throws is asked again some time later, with pauses that grow; a `DeliveryError` that is `final` is not.
 */
export interface NotificationKind {
  /** `email`, `slack`, …: `notification_type` of its templates */
  kind: string;
  /** for people: `Slack` */
  label?: string;
  /** what its templates configure; further keys are kept as they are. Without it everything is taken */
  fields?: Readonly<Record<string, NotificationField>>;
  /** the key of the configuration that says to whom it goes */
  recipients?: string;
  /** which of the two texts it sends: those that it does not are not customised either; default both */
  parts?: 'message' | 'body' | 'both';
  /** the body is a text for people (default), data that is JSON unless somebody customised it, or JSON and nothing else */
  bodies?: 'text' | 'data' | 'json';
  /** what is wrong with a configuration whose keys have the right types */
  check?(configuration: Readonly<Record<string, unknown>>): string[];
  /** @throws Error saying why it was not taken; no secrets in it */
  send(message: NotificationMessage, tools: NotificationTools): Delivered | void | Promise<Delivered | void>;
}

/** A message was not taken. */
export class DeliveryError extends Error {
  override name = 'DeliveryError';

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isErrorOf(this, DeliveryError, value, (error) => error.name === 'DeliveryError' && 'final' in error);
  }

  /** another try would end alike */
  readonly final: boolean;

  constructor(message: string, { final = false, cause }: { final?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.final = final;
  }
}

/** How a notification ended that `api.notify.deliver` made: what the task named by `told` is given, with what was `kept` for it. */
export interface NotificationOutcome {
  notification: number;
  status: 'successful' | 'failed';
  /** '' where it was delivered */
  error: string;
  kept: unknown;
}

/**
 * For `validate` of what sends by a notification template that it names: sending uses the template's credential, so it takes the
 * right to look after the notifications of the template's organization; auditors of that, who see it, may not. A template that
 * stays is not asked about again.
 * @throws ValidationError as for a template that is not there
 */
export async function assertMayNotify(
  { rules }: Pick<PluginApi, 'rules'>,
  { trx, call, input, before }: Pick<WriteContext, 'trx' | 'call'> & { input: object; before?: object },
  name = 'notification_template',
): Promise<void> {
  const column = `${name}_id`;
  const of = (row: object = {}): unknown => (row as Record<string, unknown>)[column];
  const id = of(input);
  if (typeof id !== 'number' || id === of(before)) return;
  const template = await trx('notification_templates').where({ id }).first('id', 'organization_id');
  const sends = rules.parent('organization_id', 'organization', 'notification_admin_role');
  if (!template || !(await sends.row(call.actor, template, trx)))
    throw ValidationError.field(name, `Invalid pk "${id}" - object does not exist.`);
}

import { DeliveryError, type NotificationKind, type NotificationOutcome } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Log } from '../observe/log.ts';
import { safeText } from '../db/safe-text.ts';
import type { Queue } from '../queue/queue.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { type ComposeDeps, textsOf } from './texts-of.ts';
import type { Composed } from './compose.ts';
import { type Configuration, openConfiguration, recipientsOf, secretTexts } from './configuration.ts';
import { LANE, mostAttempts, mostStarts, TASK } from './follow.ts';
import { type Attempt, begun, masking, noteBegin, noteEnd } from './records.ts';
import type { NotificationKinds } from './registry.ts';
import { isFinal, type SendDeps, trySend } from './send.ts';

export interface DeliveryDeps extends ComposeDeps, SendDeps {
  db: Knex;
  keyRing: KeyRing;
  queue: Pick<Queue, 'define' | 'addTasks'>;
  notificationKinds: NotificationKinds;
  log: Pick<Log, 'info' | 'warn'>;
}

/** A notification with its template, as the delivery reads them. */
export interface Pending {
  id: number;
  notification_template_id: number;
  notification_type: string;
  run_id: number | null;
  run_kind: string | null;
  event: string;
  source: Record<string, unknown>;
  subject: string | null;
  body: string | null;
  outcome: { task: string; kept: unknown } | null;
  attempts: Attempt[];
  /** of the template, as it is now */
  type: string;
  configuration: Configuration;
  messages: Record<string, unknown> | null;
}

/** `since`: when it was asked for again; what was tried before belongs to an earlier delivery. */
const payload = z.object({ notification: z.number(), since: z.string().optional() });
type Asked = z.infer<typeof payload>;

const notReady = 'The service could not put it together because of an error, which its log tells.';

/** Deliveries, from the queue. */
export function defineDeliveries(deps: DeliveryDeps): void {
  deps.queue.define(TASK, {
    schema: payload,
    lane: LANE,
    maxAttempts: mostStarts,
    run: (asked, context) => deliver(deps, asked, context),
  });
}

/** @throws Error without secrets, where it is worth another try */
async function deliver(
  deps: DeliveryDeps,
  { notification: id, since = '' }: Asked,
  { signal, attempt }: { signal: AbortSignal; attempt: number },
): Promise<void> {
  const { db } = deps;
  const found: Pending | undefined = await db('notifications as n')
    .join('notification_templates as t', 't.id', 'n.notification_template_id')
    .leftJoin('runs as r', 'r.id', 'n.run_id')
    .where({ 'n.id': id, 'n.status': 'pending' })
    .first('n.*', {
      run_kind: 'r.kind',
      type: 't.notification_type',
      configuration: 't.notification_configuration',
      messages: 't.messages',
    });
  if (!found) return;
  let ready: Ready;
  try {
    ready = await makeReady(deps, found);
  } catch (error) {
    if (error instanceof DeliveryError) return giveUp(deps, found, error.message);
    // what the service itself could not do, it tries again
    if (attempt >= mostStarts) await giveUp(deps, found, notReady);
    throw error;
  }
  const { kind, configuration, texts } = ready;
  const mask = masking(secretTexts(kind, configuration));
  const opened = begun(new Date(), `${kind.kind}, ${texts.subject.length + texts.body.length} characters`);
  const recipients = mask(recipientsOf(kind, configuration));
  await noteBegin(db, id, opened, { ...texts, recipients, notification_type: kind.kind });
  const began = performance.now();
  const { delivered, error, asked } = await trySend(deps, { kind, configuration, texts, id, signal });
  const cut = error !== undefined && signal.aborted && !isFinal(error);
  const ended: Attempt = {
    ...opened,
    finished: new Date().toISOString(),
    duration_ms: Math.round(performance.now() - began),
    outcome: cut ? 'unknown' : error ? 'refused' : 'delivered',
    request: mask([opened.request, ...asked].join('; ')),
    answer: mask(delivered?.answer ?? ''),
    error: error ? mask(error.message) || 'It was refused without a word.' : '',
  };
  const refused = { attempts: found.attempts, since, started: attempt };
  const last =
    !error || found.event === 'test' || attempt >= mostStarts || (!cut && (isFinal(error) || isLast(refused)));
  await settle(deps, found, { ended, last, sent: delivered?.sent ?? 1 });
  if (!last) throw new Error(`notification ${id} was not delivered: ${ended.error}`);
}

/** Tries that broke off do not count, nor do those of an earlier delivery; a start that came to no try left none. */
function isLast({ attempts, since, started }: { attempts: Attempt[]; since: string; started: number }): boolean {
  const earlier = started > 1 ? attempts.slice(1 - started) : [];
  const refused = earlier.filter((one) => one.outcome === 'refused' && one.started >= since);
  return refused.length + 1 >= mostAttempts;
}

interface Ready {
  kind: NotificationKind;
  configuration: Configuration;
  texts: Composed;
}

/**
 * What waits goes to where its template leads by now, by the kind that it is of by now.
 * @throws DeliveryError where there is nothing to send it with, or nothing to tell
 */
async function makeReady(deps: DeliveryDeps, pending: Pending): Promise<Ready> {
  const { type, notification_template_id: template } = pending;
  const kind = deps.notificationKinds.find(type);
  if (!kind) throw new DeliveryError(`No plugin that is on brings the notification kind "${type}".`);
  let configuration: Configuration;
  try {
    configuration = openConfiguration(deps.keyRing, template, pending.configuration);
  } catch (error) {
    throw new DeliveryError((error as Error).message, { cause: error });
  }
  return { kind, configuration, texts: await textsOf(deps, pending, kind) };
}

interface Settled {
  ended: Attempt;
  last: boolean;
  sent: number;
}

/** The record, and in the same transaction whoever waits to learn of the end. */
async function settle(deps: DeliveryDeps, pending: Pending, { ended, last, sent }: Settled): Promise<void> {
  const status = ended.outcome === 'delivered' ? 'successful' : 'failed';
  await deps.db.transaction(async (trx) => {
    const columns = {
      error: ended.error,
      ...(last && { status }),
      ...(status === 'successful' && { notifications_sent: sent }),
    };
    await noteEnd(trx, pending.id, ended, columns);
    if (last) await tell(deps, trx, pending, { status, error: ended.error });
  });
  const { id, run_id: run, notification_type: kind } = pending;
  if (last && status === 'failed')
    deps.log.warn({ notification: id, run, kind, error: ended.error }, 'a notification was not delivered');
}

/** Ends what waits, without another try. */
export async function giveUp(
  deps: Pick<DeliveryDeps, 'db' | 'queue'>,
  pending: Pick<Pending, 'id' | 'outcome'>,
  error: string,
): Promise<void> {
  await deps.db.transaction(async (trx) => {
    const ended = await trx('notifications')
      .where({ id: pending.id, status: 'pending' })
      .update({ status: 'failed', error: safeText(error), modified: trx.fn.now() });
    if (ended) await tell(deps, trx, pending, { status: 'failed', error });
  });
}

async function tell(
  { queue }: Pick<DeliveryDeps, 'queue'>,
  trx: Knex,
  { id, outcome }: Pick<Pending, 'id' | 'outcome'>,
  end: Pick<NotificationOutcome, 'status' | 'error'>,
): Promise<void> {
  if (!outcome) return;
  const told: NotificationOutcome = { notification: id, ...end, kept: outcome.kept };
  await queue.addTasks(trx, [{ name: outcome.task, payload: told }]);
}

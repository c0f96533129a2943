import type { Knex } from 'knex';
import { safeJson } from '../db/safe-text.ts';
import type { Queue } from '../queue/queue.ts';
import { plainTexts } from './compose.ts';
import { TASK } from './follow.ts';
import type { NotificationKinds } from './registry.ts';

interface Deps {
  queue: Pick<Queue, 'addTasks'>;
  notificationKinds: NotificationKinds;
}

interface Text {
  template: { id: number; notification_type: string };
  event: 'test' | 'message';
  subject: string;
  body: string;
  outcome?: { task: string; kept: unknown } | undefined;
}

/** A notification that tells of no run, in the transaction that asks for it. Resolves to its id. */
export async function enqueueText(deps: Deps, trx: Knex, { template, event, outcome, ...text }: Text): Promise<number> {
  const kind = deps.notificationKinds.find(template.notification_type);
  const texts = kind ? plainTexts(kind, text.subject, text.body) : text;
  const [row] = await trx('notifications')
    .insert({
      notification_template_id: template.id,
      notification_type: template.notification_type,
      event,
      subject: texts.subject,
      body: texts.body,
      outcome: outcome === undefined ? null : safeJson(outcome),
    })
    .returning('id');
  await enqueue(deps, trx, [row.id]);
  return row.id;
}

/** One delivery of each in the queue, however often it is asked for. */
export async function enqueue(
  { queue }: Pick<Deps, 'queue'>,
  trx: Knex,
  notifications: readonly number[],
): Promise<void> {
  const since = new Date().toISOString();
  await queue.addTasks(
    trx,
    notifications.map((notification) => ({
      name: TASK,
      payload: { notification, since },
      key: `${TASK}:${notification}`,
    })),
  );
}

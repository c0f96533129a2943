import type { PluginApi, Task } from '@tapline/plugin-sdk';
import { publishLogs } from '../live.ts';
import type { EvaluatePayload } from './task.ts';

/** What a node that died has stored is found so soon. */
const lookMs = 1000;
/** At once where nothing came just now; else what comes in so long goes together, so that many events cost few tasks. */
const gatherMs = 50;
const mostAtOnce = 1000;
/** Of one task, which reads all of its payloads. */
const mostOfTask = { events: 50, bytes: 2_097_152 };

interface Stored {
  id: number;
  event_rule_id: number | null;
  bytes: number;
}

/**
 * Gives the queue what stands in the inbox. A receipt only stores its event: with the task in its own transaction each would wait
 * for the message that a task is there, and messages are committed one after the other. Whoever dies in between leaves an event
 * in the inbox, and the next look of any node finds it.
 */
export class Relay {
  readonly #api: PluginApi;
  readonly #evaluate: Task<EvaluatePayload>;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  #looking = false;
  #again = false;

  constructor(api: PluginApi, evaluate: Task<EvaluatePayload>) {
    this.#api = api;
    this.#evaluate = evaluate;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#lookAround(), lookMs);
    this.#timer.unref();
    this.wake();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  wake(): void {
    if (!this.#timer) return;
    if (this.#looking) this.#again = true;
    else void this.#look();
  }

  /** Mostly there is nothing, and one statement a second says so. */
  async #lookAround(): Promise<void> {
    if (this.#asking || this.#looking) return;
    this.#asking = true;
    const { db, table, log } = this.#api;
    try {
      if (await db(table('inbox')).first('event_log_id')) this.wake();
    } catch (err) {
      if (this.#timer) log.warn({ err }, 'events could not be looked for');
    } finally {
      this.#asking = false;
    }
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#again = false;
    try {
      if ((await this.#pass()) === mostAtOnce) this.#again = true;
    } catch (err) {
      if (this.#timer) this.#api.log.warn({ err }, 'events could not be given to the queue');
    }
    const gathered = () => {
      this.#looking = false;
      if (this.#again && this.#timer) void this.#look();
    };
    setTimeout(gathered, gatherMs).unref();
  }

  /** Resolves to how many there were. */
  async #pass(): Promise<number> {
    const { db, table } = this.#api;
    return db.transaction(async (trx) => {
      const { rows } = await trx.raw<{ rows: Stored[] }>(
        `with taken as (
          delete from ${table('inbox')} where event_log_id = any (array(
            select event_log_id from ${table('inbox')} order by event_log_id limit ${mostAtOnce} for update skip locked
          )) returning event_log_id
        )
        select l.id, l.event_rule_id, coalesce(p.bytes, 0) as bytes
        from taken join ${table('event_logs')} l on l.id = event_log_id left join ${table('payloads')} p on p.id = l.payload_id`,
      );
      if (!rows.length) return 0;
      const events = rows.toSorted((a, b) => a.id - b.id);
      await this.#evaluate.enqueueAll(trx, tasksOf(events));
      await publishLogs(this.#api, trx, events, 'received');
      return rows.length;
    });
  }
}

function tasksOf(events: readonly Stored[]): EvaluatePayload[] {
  const tasks: { logs: number[]; bytes: number }[] = [];
  for (const { id, bytes } of events) {
    const last = tasks.at(-1);
    if (last && last.logs.length < mostOfTask.events && last.bytes + bytes <= mostOfTask.bytes) {
      last.logs.push(id);
      last.bytes += bytes;
    } else tasks.push({ logs: [id], bytes });
  }
  return tasks.map(({ logs }) => ({ logs }));
}

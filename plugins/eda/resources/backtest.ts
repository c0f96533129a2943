import { type Actor, field, type Knex, type PluginApi, type Rule as Access } from '@tapline/plugin-sdk';
import { judgeConditions, type Judged, judgeTogether } from '../evaluate/conditions.ts';
import { type EventRow, logsOf } from '../evaluate/log.ts';
import type { Condition } from '../rule.ts';
import { conditionResults, shapeOf } from './condition-schema.ts';

/** Events that are in memory and before the sandbox together. */
const portion = { events: 50, bytes: 2_097_152 };
/** What is not judged by then, or told in so many characters, is left out. */
const patienceMs = 20_000;
const longestAnswer = 8_388_608;
/** A draft that takes too long for so many events in a row is not asked any more. */
const mostLate = 3;

export const last = field.integer({
  min: 1,
  max: 500,
  default: 100,
  help: 'How many of the latest events are judged.',
});

export const backtested = shapeOf({
  count: { type: 'integer' },
  matched: { type: 'integer' },
  complete: { type: 'boolean' },
  results: {
    type: 'array',
    items: shapeOf({
      event_log: { type: 'integer' },
      created: { type: 'string', format: 'date-time' },
      event_type: { type: 'string' },
      matched_before: { type: 'boolean' },
      conditions_matched: { type: 'boolean' },
      condition_results: conditionResults,
    }),
  },
});

interface Asked {
  conditions: readonly Condition[];
  last: number;
  signal: AbortSignal;
}

type Stored = EventRow & { conditions_matched: boolean };

/** Which of the latest events that are stored conditions would match, newest first, and why; what it takes is bounded. */
export async function backtest(api: PluginApi, events: Knex.QueryBuilder, { conditions, last, signal }: Asked) {
  const stored: { id: number; bytes: number }[] = await events
    .select('l.id', 'p.bytes')
    .orderBy('l.id', 'desc')
    .limit(last);
  const draft = new Draft(api, conditions, signal);
  for (const ids of portionsOf(stored)) {
    const query = logsOf(api, api.db).select('l.conditions_matched').whereIn('l.id', ids);
    // as much as is in memory together
    // oxlint-disable-next-line no-await-in-loop
    if (!(await draft.judge(await query.orderBy('l.id', 'desc')))) break;
  }
  const { results } = draft;
  const matched = results.filter(({ conditions_matched: holds }) => holds).length;
  return { count: results.length, matched, complete: results.length === stored.length, results };
}

/** Events that were judged and whose payloads are there, of those that somebody may see. */
export function eventsFor({ db, table }: PluginApi, see: Access, actor: Actor | null): Knex.QueryBuilder {
  const events = db(`${table('event_logs')} as l`)
    .join(`${table('payloads')} as p`, 'p.id', 'l.payload_id')
    .whereNull('l.replay_of_id')
    .where({ 'p.truncated': false });
  see.query(actor, events, 'l');
  return events;
}

class Draft {
  readonly results: ReturnType<typeof resultOf>[] = [];
  readonly #api: PluginApi;
  readonly #conditions: readonly Condition[];
  readonly #signal: AbortSignal;
  readonly #until = performance.now() + patienceMs;
  #length = 0;
  #late = 0;

  constructor(api: PluginApi, conditions: readonly Condition[], signal: AbortSignal) {
    this.#api = api;
    this.#conditions = conditions;
    this.#signal = signal;
  }

  /** Resolves to whether there may be more. */
  async judge(events: readonly Stored[]): Promise<boolean> {
    if (this.#isOver()) return false;
    const together = await judgeTogether(
      this.#api,
      events.map((event) => this.#caseOf(event)),
    );
    for (const [place, event] of events.entries()) {
      if (this.#isOver()) return false;
      const { conditions, occurrence } = this.#caseOf(event);
      // one after the other: they are evaluated in one process anyway
      // oxlint-disable-next-line no-await-in-loop
      this.#add(event, together?.[place] ?? (await judgeConditions(this.#api, conditions, occurrence)));
    }
    return true;
  }

  #caseOf({ payload, headers }: Stored) {
    return { conditions: this.#conditions, occurrence: { event: payload, headers } };
  }

  #add(event: Stored, judged: Judged): void {
    this.#late = judged.late ? this.#late + 1 : 0;
    const result = resultOf(event, judged);
    this.#length += JSON.stringify(result).length;
    this.results.push(result);
  }

  #isOver(): boolean {
    return (
      this.#signal.aborted || performance.now() > this.#until || this.#length > longestAnswer || this.#late >= mostLate
    );
  }
}

const resultOf = (event: Stored, { matched, results }: Judged) => ({
  event_log: event.id,
  created: event.created,
  event_type: event.event_type,
  matched_before: event.conditions_matched,
  conditions_matched: matched,
  condition_results: results,
});

function portionsOf(stored: readonly { id: number; bytes: number }[]): number[][] {
  const portions: { ids: number[]; bytes: number }[] = [];
  for (const { id, bytes } of stored) {
    const current = portions.at(-1);
    if (current && current.ids.length < portion.events && current.bytes + bytes <= portion.bytes) {
      current.ids.push(id);
      current.bytes += bytes;
    } else portions.push({ ids: [id], bytes });
  }
  return portions.map(({ ids }) => ids);
}

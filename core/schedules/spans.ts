import { type RecurrenceService, ValidationError } from '@tapline/plugin-sdk';
import { AsideError, createAside } from '../yaml/aside.ts';
import type { computeSpans, SpansAsked } from './compute.ts';
import { readDuration } from './duration.ts';
import { readRule } from './read-rule.ts';
import { isZone } from './wall-clock.ts';

/** Plugins answer within 10 s, of which a busy machine takes four times this. */
const limitMs = 2000;
type Exports = { computeSpans: typeof computeSpans };
const reader = { module: new URL('./compute.ts', import.meta.url), name: 'computeSpans' satisfies keyof Exports };
/** Launches do not wait behind what somebody tries out in a schedule. */
const aside = createAside({ threads: 1, limitMs });

/** For plugins: when what recurs is on. */
export const nextSpans: RecurrenceService['spans'] = async ({ rrule, duration, zone = 'UTC' }, { from, most }) => {
  if (!isZone(zone)) throw ValidationError.field('zone', `There is no zone ${zone.slice(0, 100)}.`);
  const asked: SpansAsked = {
    rule: readRule(rrule.replace(/^\s*DTSTART:(\d{8}T\d{6})(?=\s|$)/i, `DTSTART;TZID=${zone}:$1`)),
    duration: readDuration(duration),
    from: from.getTime(),
    most: Math.min(Math.max(most, 1), 1000),
  };
  try {
    const spans = await aside<ReturnType<Exports['computeSpans']>>(reader, asked, { patient: true });
    if (!spans) throw ValidationError.field('duration', 'It is much longer than the time between two starts.');
    return spans.map(([start, end]) => ({ start: new Date(start), end: new Date(end) }));
  } catch (error) {
    if (!(error instanceof AsideError)) throw error;
    throw ValidationError.field(
      'rrule',
      `Its times take longer than ${limitMs / 1000} s to find: say it in another way.`,
    );
  }
};

import { ApiError, type PluginApi, ValidationError } from '@tapline/plugin-sdk';
import type { Window } from '../calendar.ts';

const mostWindows = 20;
/** So many times of a rule are looked at. */
const looked = 100;

export function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat('en-US', { timeZone: zone }));
  } catch {
    return false;
  }
}

/** @throws ValidationError under `windows`, of the first that is wrong: each may take its time */
export async function checkWindows(api: PluginApi, windows: readonly unknown[], zone: string): Promise<void> {
  if (!windows.length) refuse('At least one is needed.');
  if (windows.length > mostWindows) refuse(`More than ${mostWindows} are not supported.`);
  for (const [index, window] of windows.entries()) {
    const say = (problem: string) => refuse(`Window ${index + 1}: ${problem}`);
    if (!isWindow(window)) return say('It must have a rrule and a duration, both texts, and nothing else.');
    // one after the other: what is asked at once is bounded
    // oxlint-disable-next-line no-await-in-loop
    const problem = await problemOf(api, window, zone);
    if (problem !== undefined) say(problem);
  }
}

async function problemOf({ recurrence, clock }: PluginApi, window: Window, zone: string): Promise<string | undefined> {
  try {
    const spans = await recurrence.spans({ ...window, zone }, { from: clock.now(), most: looked });
    const overlaps = spans.some(({ start }, index) => index > 0 && start < spans[index - 1]!.end);
    return overlaps ? 'duration: it must not last longer than until it begins again.' : undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    return Object.entries(error.body)
      .map(([key, messages]) => `${key}: ${[messages].flat().join(' ')}`)
      .join(' ');
  }
}

function isWindow(window: unknown): window is Window {
  const keys = typeof window === 'object' && window !== null ? Object.keys(window).toSorted() : [];
  const { rrule, duration } = (window ?? {}) as Record<string, unknown>;
  return keys.join() === 'duration,rrule' && typeof rrule === 'string' && typeof duration === 'string';
}

function refuse(problem: string): never {
  throw ValidationError.field('windows', problem);
}

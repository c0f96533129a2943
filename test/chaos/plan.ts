import { generator, shuffled } from './random.ts';
import { type VictimName, victims } from './victims.ts';

export interface Strike {
  victim: VictimName;
  /** whether the service may answer again first */
  patient: boolean;
  /** from then on, or since the one before */
  afterMs: number;
  /** how long a node that it kills stays away */
  awayMs: number;
  /** which one of several, and how far something has got when it is hit */
  draw: number;
}

const longestPauseMs = 2500;
const longestAwayMs = 600;

/** What takes longest comes first, lest the end waits for it. */
const bag = (Object.keys(victims) as VictimName[])
  .filter((victim) => victim !== 'exile')
  .flatMap((victim) => Array.from({ length: victims[victim].share }, () => victim));

/**
 * The whole schedule of a seed: random order, but each kind of victim its share. Some strikes follow the one before at
 * once, while what that one hit is still getting up.
 */
export function plan(seed: number, kills: number): Strike[] {
  const random = generator(seed);
  const order: VictimName[] = [];
  while (order.length < kills) order.push('exile', ...shuffled(random, bag));
  return order.slice(0, kills).map((victim) => ({
    victim,
    patient: random() < 0.7,
    afterMs: Math.round(random() * longestPauseMs),
    awayMs: Math.round(random() * longestAwayMs),
    draw: random(),
  }));
}

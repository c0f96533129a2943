/**
 * npm run chaos -- --kills N [--seed S]: kills parts of the service while clients use it, and proves that no promise was
 * broken. Ctrl-C judges what has happened so far.
 */
import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '20' }, seed: { type: 'string', default: String(Date.now() % 1e6) } },
});
const kills = Number(values.kills);
const seed = Number(values.seed);
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error('usage: npm run chaos -- --kills N [--seed S]');
  process.exit(2);
}

console.log(`${kills} kills, seed ${seed}`);
const enough = new AbortController();
process.once('SIGINT', () => enough.abort());
const result = await chaos({ kills, seed, say: (line) => console.log(line), enough: enough.signal });
const told = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([what, times]) => `${what} ${times}`)
    .join(', ');
console.log(`struck: ${told(result.hits)}; ${result.early} times during the first start`);
if (Object.keys(result.missed).length) console.log(`there was none: ${told(result.missed)}`);
console.log(`${result.alive.toFixed(1)} jobs alive at a strike; the process of ${result.struck} was killed`);
console.log(`runs: ${told(result.statuses)}; ${told(result.kinds)} (${told(result.plays)})`);
console.log(`clients: ${told(result.answers)}`);
console.log(
  `${result.pushed} events from outside, ${result.told} messages to the target, ${result.notified} notifications, ${result.ticks} times of schedules`,
);
console.log(
  `${result.events} events, ${result.lines} lines outside; settled ${result.settledS.toFixed(1)} s after the last strike`,
);
for (const problem of result.problems) console.error(`PROBLEM ${problem}`);
console.log(
  result.problems.length === 0
    ? 'nothing lost, nothing doubled, nothing stuck, nothing left behind'
    : `${result.problems.length} problems; see ${result.evidence ?? 'above'}`,
);
process.exitCode = result.problems.length === 0 ? 0 : 1;

/** npm run chaos -- --kills N: kills parts of the service at random moments and proves that no job noticed. */
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
const result = await chaos({ kills, seed, say: (line) => console.log(line) });
const told = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([what, times]) => `${what} ${times}`)
    .join(', ');
console.log(`killed: ${told(result.killed)}; ${result.alive.toFixed(1)} jobs alive at a kill`);
console.log(`jobs: ${told(result.statuses)} (${told(result.plays)}); the process of ${result.orphaned} was killed`);
console.log(
  `${result.events} events, ${result.lines} lines outside; settled ${result.settledS.toFixed(1)} s after the last restart`,
);
for (const problem of result.problems) console.error(`PROBLEM ${problem}`);
console.log(
  result.problems.length === 0
    ? 'nothing lost, nothing doubled, nothing left behind'
    : `${result.problems.length} problems`,
);
process.exitCode = result.problems.length === 0 ? 0 : 1;

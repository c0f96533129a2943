import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createSandbox } from '@tapline/core/sandbox/sandbox.ts';
import { enginePython } from '../lib/bare.ts';
import { type Figure, figure, median, spread } from '../lib/stats.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 400);
const expression = "event.ref == 'refs/heads/main' and event.commits | length > 2 and 'site' in event.repository.name";
const commits = Array.from({ length: 60 }, (_, n) => ({ id: `${n}`.padStart(40, '0'), message: 'x'.repeat(100) }));
const payload = { ref: 'refs/heads/main', repository: { name: 'demo/site' }, commits };

/** The same by the library that gave the language its name: read, compile, evaluate, as for an event that has just come. */
const python = `
import json, sys, time
from jinja2 import StrictUndefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
text = sys.stdin.read()
times = []
for _ in range(${rounds} + 20):
    began = time.perf_counter()
    context = json.loads(text)
    value = ImmutableSandboxedEnvironment(undefined=StrictUndefined).compile_expression(${JSON.stringify(expression)})(**context)
    times.append((time.perf_counter() - began) * 1000)
    assert value is True
print(json.dumps(times[20:]))
`;

async function byPython(text: string): Promise<number[]> {
  const child = promisify(execFile)(enginePython, ['-c', python], { maxBuffer: 1e7 });
  child.child.stdin!.end(text);
  return JSON.parse((await child).stdout);
}

/** One condition on a payload of 10 kB, in the process that evaluates what users write, against Python's Jinja2. */
export async function condition(): Promise<Figure[]> {
  const context = { event: payload, headers: {} };
  const sandbox = createSandbox({ log: { warn: () => undefined } });
  try {
    const times: number[] = [];
    for (let n = -50; n < rounds; n += 1) {
      const began = performance.now();
      if ((await sandbox.evaluate(expression, context)) !== true) throw new Error('the condition does not hold');
      if (n >= 0) times.push(performance.now() - began);
    }
    const other = await byPython(JSON.stringify(context));
    const detail = `${spread(times, 'ms')}; Python ${spread(other, 'ms')}`;
    return [figure('condition', 'one condition ÷ Python', median(times) / median(other), '', '<=', 5, detail)];
  } finally {
    await sandbox.stop();
  }
}

import { Worker } from 'node:worker_threads';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import { currentSection, type Section } from './section.ts';

/** What the watcher saw while the event loop stood still. */
export interface Sighting {
  milliseconds: number;
  section: Section | null;
  /** innermost call first: function and file */
  stack: string[];
}

export interface BlockingDeps {
  log: Pick<Log, 'warn'>;
  metrics: Pick<Metrics, 'loopBlocked'>;
}

const beatMs = 100;
/** Without a heartbeat for so long the loop counts as blocked. */
const thresholdMs = 500;
const askName = Symbol.for('tapline.section');

/**
 * Tells whose code kept the event loop from everybody else. A thread of its own misses the heartbeat, stops the
 * main thread where it is for a moment, and reads there in whose name it runs: an answer about the code itself, not
 * a guess from what was under way, and right for timers that a plugin left behind too. When the loop goes on, one
 * line in the log tells how long it stood.
 */
export function watchBlocking({ log, metrics }: BlockingDeps): () => Promise<void> {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
  // asked by the watcher, in the place where the main thread stands
  Object.defineProperty(globalThis, askName, {
    value: () => JSON.stringify(currentSection() ?? null),
    configurable: true,
  });
  const worker = new Worker(new URL('./blocking-watcher.js', import.meta.url), {
    workerData: { beats, thresholdMs },
    resourceLimits: { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 },
    stdout: true,
    stderr: true,
  });
  worker.unref();
  worker.on('message', (sighting: Sighting) => report({ log, metrics }, sighting));
  worker.on('error', (err) => log.warn({ err }, 'the watch over the event loop ended; nobody is named any more'));
  return async () => {
    clearInterval(timer);
    await worker.terminate();
  };
}

function report(
  { log, metrics }: Pick<BlockingDeps, 'log' | 'metrics'>,
  { milliseconds, section, stack }: Sighting,
): void {
  const plugin = section?.plugin ?? 'core';
  const what = section?.what ?? 'unknown';
  metrics.loopBlocked.observe({ plugin, section: what }, milliseconds / 1000);
  const who = section ? `plugin ${plugin}, ${what}` : 'core';
  log.warn({ plugin, section: what, milliseconds, stack }, `the event loop stood still for ${milliseconds} ms: ${who}`);
}

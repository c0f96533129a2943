import { type CronOptions, inTime, type TaskOptions } from '@tapline/plugin-sdk';
import { inSection } from '../observe/section.ts';
import type { Queue } from './queue.ts';

const defaultMs = 600_000;
/** What a task has left when the service stops. */
const graceMs = 3000;
const largestPayload = 1_048_576;

export interface PluginTask {
  plugin: string;
  /** `<plugin>:<task>` */
  name: string;
  options: TaskOptions<unknown>;
  run(payload: unknown, context: { signal: AbortSignal }): unknown;
}

/**
 * A task of a plugin, in its name and with an end: what is not done in its time counts as failed, so that
 * work that hangs does not keep one of the plugin's places for ever.
 */
export function definePluginTask(queue: Pick<Queue, 'define'>, { plugin, name, options, run }: PluginTask): void {
  const { schema, maxAttempts, priority, timeoutMs = defaultMs } = options;
  const section = { plugin, what: `task ${name.slice(plugin.length + 1)}` };
  queue.define(name, {
    schema,
    plugin,
    largestPayload,
    ...(maxAttempts === undefined ? {} : { maxAttempts }),
    ...(priority === undefined ? {} : { priority }),
    async run(payload, { signal }) {
      const late = (stopped: boolean) =>
        new Error(`task ${name}: not done ${stopped ? 'when the service stopped' : `within ${timeoutMs} ms`}`);
      try {
        await inSection(section, () =>
          inTime((ending) => run(payload, { signal: ending }), { ms: timeoutMs, late, signal, graceMs }),
        );
      } catch (error) {
        throw error ?? new Error(`task ${name} threw ${String(error)}`);
      }
    },
  });
}

/**
 * Once in all the cluster. A run waits for the one before it, at most one waits, and what was missed while no
 * node ran is not made up for.
 */
export function definePluginCron(queue: Pick<Queue, 'cron'>, { task, match, payload }: CronOptions<unknown>): void {
  queue.cron({
    task: task.name,
    match,
    identifier: task.name,
    ...(payload === undefined ? {} : { payload: payload as Record<string, unknown> }),
    options: { queueName: `cron:${task.name}`, jobKey: `cron:${task.name}`, jobKeyMode: 'preserve_run_at' },
  });
}

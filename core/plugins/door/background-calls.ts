import type {
  CronOptions,
  PluginApi,
  TapContext,
  StatusTapOptions,
  Task,
  TaskOptions,
  TaskTime,
  WebsocketGroup,
} from '@tapline/plugin-sdk';
import { parseCronItem } from 'graphile-worker';
import type { Knex } from 'knex';
import type { z } from 'zod';
import { schemas } from './arguments.ts';
import type { Contributions, HookName, TapContribution, TaskContribution } from './contributions.ts';
import { callOf, type Door } from './door.ts';
import { tableOf } from '../data/schema-name.ts';
import { callError, reasonOf } from '../../observe/plugin-error.ts';

const optionsOf: Record<HookName, () => z.ZodType> = {
  beforeStart: () => schemas.beforeStartTap,
  onStatusChange: () => schemas.statusTap,
  afterFinish: () => schemas.tap,
  onFactsUpdated: () => schemas.tap,
};

/** Taps on core's hooks; their names carry the plugin's id, so that no two plugins clash. */
export function hookCalls({ id, contribute }: Door): PluginApi['hooks'] {
  const on = (hook: HookName) => (options: StatusTapOptions, tap: (payload: never, context: TapContext) => unknown) =>
    void contribute({
      call: callOf(`hooks.${hook}`, options?.name),
      kind: 'taps',
      arguments: [
        [optionsOf[hook](), options],
        [schemas.function, tap],
      ],
      claims: () => [[`tap of ${hook}`, `${id}:${options.name}`]],
      item: () => ({
        hook,
        options: {
          ...options,
          name: `${id}:${options.name}`,
          ...(options.listeners === undefined ? {} : { listeners: tableOf(id, options.listeners) }),
        },
        tap: tap as TapContribution['tap'],
      }),
    });
  return {
    beforeStart: on('beforeStart'),
    onStatusChange: on('onStatusChange'),
    afterFinish: on('afterFinish'),
    onFactsUpdated: on('onFactsUpdated'),
  };
}

function assertConnection(plugin: string, call: string, trx: Knex): void {
  if (typeof trx?.raw === 'function') return;
  throw callError(
    plugin,
    call,
    'was given no connection as its first argument',
    'give it the transaction of the change, or api.db',
  );
}

/** Background tasks and their clock. */
export const taskCalls = ({ id, contribute, services, tasks }: Door) => ({
  task<P>(short: string, options: TaskOptions<P>, run: TaskContribution['run']): Task<P> {
    const call = callOf('task', short);
    const { name } = contribute({
      call,
      kind: 'tasks',
      arguments: [
        [schemas.taskName, short],
        [schemas.task, options],
        [schemas.function, run],
      ],
      claims: () => [['task', `${id}:${short}`]],
      item: () => ({ name: `${id}:${short}`, options, run }),
    });
    const enqueueAll = async (trx: Knex, payloads: readonly P[], { afterSeconds }: TaskTime = {}) => {
      const later = afterSeconds === undefined ? {} : { after_s: afterSeconds };
      const { addTasks } = services(`${call}.enqueue`);
      assertConnection(id, `${call}.enqueue`, trx);
      await addTasks(
        trx,
        payloads.map((payload) => ({ name, payload, ...later })),
      );
    };
    return Object.freeze({
      name,
      enqueueAll,
      enqueue: (trx: Knex, payload: P, when?: TaskTime) => enqueueAll(trx, [payload], when),
    });
  },
  cron: (options: CronOptions<unknown>) =>
    void contribute({
      call: callOf('cron', options?.task?.name),
      kind: 'crons',
      arguments: [[schemas.cron, options]],
      problem: () => cronProblem(id, options, tasks()),
      claims: () => [['cron entry of task', options.task.name]],
      item: () => options,
    }),
});

function cronProblem(
  id: string,
  { task: { name }, match, payload = {} }: CronOptions<unknown>,
  tasks: readonly TaskContribution[],
): string | undefined {
  const task = tasks.find((one) => one.name === name);
  if (!task) return `task must be one of ${id} itself: what api.task returned`;
  const { error } = task.options.schema.safeParse(payload);
  if (error) return `payload is not what the task takes: ${error.issues.map(({ message }) => message).join('; ')}`;
  try {
    parseCronItem({ task: name, match, identifier: name });
    return undefined;
  } catch (error) {
    return `match ${JSON.stringify(match)} is no pattern of five fields like "0 3 * * *" (${reasonOf(error)})`;
  }
}

/** Messages to listeners, health, start and stop. */
export const lifeCalls = ({ id, contribute, services }: Door) => ({
  websocket: {
    group: (group: WebsocketGroup) =>
      void contribute({
        call: callOf('websocket.group', group?.name),
        kind: 'groups',
        arguments: [[schemas.group, group]],
        claims: () => [['WebSocket group', group.name]],
        item: () => group,
      }),
    async publish(trx: Knex, group: string, item: string | number, message: Record<string, unknown>) {
      const call = callOf('websocket.publish', group);
      const { publish } = services(call);
      assertConnection(id, call, trx);
      await publish(trx, group, item, message);
    },
  },
  health: (check: Contributions['health'][number]) =>
    void contribute({
      call: 'api.health',
      kind: 'health',
      arguments: [[schemas.function, check]],
      claims: () => [['health check of', id]],
      item: () => check,
    }),
  onStart: (start: () => void | Promise<void>) =>
    void contribute({
      call: 'api.onStart',
      kind: 'starts',
      arguments: [[schemas.function, start]],
      item: () => start,
    }),
  onStop: (stop: () => void | Promise<void>) =>
    void contribute({ call: 'api.onStop', kind: 'stops', arguments: [[schemas.function, stop]], item: () => stop }),
});

import type {
  BeforeStartOptions,
  CronOptions,
  PluginApi,
  Task,
  TaskOptions,
  WebsocketGroup,
} from '@tapline/plugin-sdk';
import { parseCronItem } from 'graphile-worker';
import { schemas } from './arguments.ts';
import type { HookName, TaskContribution } from './contributions.ts';
import { callOf, type Door } from './door.ts';
import { reasonOf } from './error.ts';

/** Taps on core's hooks; their names carry the plugin's id, so that no two plugins clash. */
export function hookCalls({ id, contribute }: Door): PluginApi['hooks'] {
  const on = (hook: HookName) => (options: BeforeStartOptions, tap: (payload: any) => unknown) =>
    void contribute({
      call: callOf(`hooks.${hook}`, options?.name),
      kind: 'taps',
      arguments: [
        [hook === 'beforeStart' ? schemas.beforeStartTap : schemas.tap, options],
        [schemas.function, tap],
      ],
      claims: () => [[`tap of ${hook}`, `${id}:${options.name}`]],
      item: () => ({ hook, options: { ...options, name: `${id}:${options.name}` }, tap }),
    });
  return {
    beforeStart: on('beforeStart'),
    onStatusChange: on('onStatusChange') as PluginApi['hooks']['onStatusChange'],
    afterFinish: on('afterFinish') as PluginApi['hooks']['afterFinish'],
    onFactsUpdated: on('onFactsUpdated') as PluginApi['hooks']['onFactsUpdated'],
  };
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
    const enqueueAll = async (trx: any, payloads: readonly P[]) =>
      services(`${call}.enqueue`).addTasks(
        trx,
        payloads.map((payload) => ({ name, payload })),
      );
    return Object.freeze({ name, enqueueAll, enqueue: (trx: any, payload: P) => enqueueAll(trx, [payload]) });
  },
  cron: (options: CronOptions<any>) =>
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
  { task: { name }, match, payload = {} }: CronOptions<any>,
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
    publish: async (trx: any, group: string, item: string | number, message: Record<string, unknown>) =>
      services(callOf('websocket.publish', group)).publish(trx, group, item, message),
  },
  health: (check: () => any) =>
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

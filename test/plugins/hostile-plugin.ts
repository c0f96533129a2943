import { authenticated, everybody, field, type Plugin, type PluginApi, type Task } from '@tapline/plugin-sdk';
import { z } from 'zod';
import { migrationFolder } from '../support/plugin-migrations.ts';
import { testPlugin } from '../support/plugins.ts';

export const phases = [
  'route',
  'resource hook',
  'serializer',
  'extension',
  'beforeStart allow',
  'beforeStart deny',
  'onStatusChange',
  'afterFinish',
  'onFactsUpdated',
  'task',
  'cron',
  'health',
  'insight',
  'join',
  'guard',
  'restrict row',
  'restrict query',
] as const;
export type Phase = (typeof phases)[number];

// what hangs comes last: a health check that hangs is not asked again meanwhile
export const behaviours = [
  'throw',
  'reject',
  'throw null',
  'lie',
  'leak',
  'flood',
  'call late',
  'block',
  'hang',
] as const;
export type Behaviour = (typeof behaviours)[number];

/** What the plugin does wrong now, and where. */
export interface Mode {
  phase: Phase | null;
  behaviour: Behaviour | null;
}

const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

/** What each phase answers when the plugin behaves, and when it lies. */
const answers: Record<Phase, { good?: unknown; lie: unknown }> = {
  route: { good: { status: 200, body: { ok: true } }, lie: { status: 'fine', body: cyclic } },
  'resource hook': { lie: { name: 7 } },
  serializer: { lie: cyclic },
  extension: { good: new Map(), lie: { not: 'a map' } },
  'beforeStart allow': { lie: { status: 200, body: { detail: 'no' } } },
  'beforeStart deny': { lie: { status: 403, body: cyclic } },
  onStatusChange: { lie: cyclic },
  afterFinish: { lie: cyclic },
  onFactsUpdated: { lie: cyclic },
  task: { lie: cyclic },
  cron: { lie: cyclic },
  health: { good: { status: 'ok' }, lie: { status: 'splendid' } },
  insight: { good: 7, lie: 'seven' },
  join: { good: true, lie: 'yes' },
  guard: { lie: false },
  'restrict row': { good: true, lie: 'yes' },
  'restrict query': { lie: 'yes' },
};

const huge = () => 'x'.repeat(100_000_000);
const hugeAnswers: Partial<Record<Phase, () => unknown>> = {
  route: () => ({ status: 200, body: huge(), type: 'text/plain' }),
  health: () => ({ status: 'degraded', detail: huge() }),
  insight: huge,
  join: huge,
};

/** More than twice what counts as blocked, and four times what a tap has. */
const blockedMs = 1200;

/** `flooded` resolves when all is in the queue that it put there; `letGo` ends what hangs. */
export function hostilePlugin(mode: Mode): { plugin: Plugin; flooded(): Promise<unknown>; letGo(): void } {
  const floods: Promise<void>[] = [];
  const hanging: (() => void)[] = [];
  let grain: Task<{ n: number }> | undefined;

  const misbehave = (api: PluginApi, phase: Phase, subject: any): unknown => {
    switch (mode.behaviour) {
      case 'throw':
        throw new Error('hostile \0 words');
      case 'reject':
        return Promise.reject(new Error('hostile words'));
      case 'throw null':
        throw null;
      case 'hang':
        return new Promise<void>((resolve) => hanging.push(resolve));
      case 'lie':
        return answers[phase].lie;
      case 'leak':
        void Promise.reject(new Error('left behind'));
        setTimeout(() => {
          throw new Error('left in a timer');
        }, 5);
        return answers[phase].good;
      case 'flood':
        return flood(api, phase, subject);
      case 'call late':
        api.nav({ path: '/late', label: 'Late' });
        return answers[phase].good;
      default:
        for (const end = performance.now() + blockedMs; performance.now() < end;);
        return answers[phase].good;
    }
  };
  const flood = (api: PluginApi, phase: Phase, subject: any): unknown => {
    if (phase.startsWith('beforeStart')) for (let n = 0; n < 10_000; n += 1) subject.explain(`line ${n} of many`);
    if (['onStatusChange', 'afterFinish', 'onFactsUpdated', 'task', 'cron'].includes(phase)) {
      const enqueued = grain!.enqueueAll(
        api.db,
        Array.from({ length: 10_000 }, (_, n) => ({ n })),
      );
      floods.push(enqueued);
      return enqueued;
    }
    return hugeAnswers[phase] ? hugeAnswers[phase]() : answers[phase].good;
  };

  const plugin = testPlugin(
    'hostile',
    (api) => {
      const at =
        (phase: Phase) =>
        (subject?: unknown): any =>
          mode.phase === phase ? misbehave(api, phase, subject) : answers[phase].good;
      contributeContent(api, at);
      api.hooks.beforeStart({ name: 'allows', stage: 100, failMode: 'allow', timeoutMs: 300 }, at('beforeStart allow'));
      api.hooks.beforeStart({ name: 'denies', stage: 200, failMode: 'deny', timeoutMs: 300 }, at('beforeStart deny'));
      api.hooks.onStatusChange({ name: 'changes', timeoutMs: 300 }, at('onStatusChange'));
      api.hooks.afterFinish({ name: 'finishes', timeoutMs: 300 }, at('afterFinish'));
      api.hooks.onFactsUpdated({ name: 'facts', timeoutMs: 300 }, at('onFactsUpdated'));
      const options = { schema: z.object({}), timeoutMs: 300 };
      api.task('work', options, async () => at('task')());
      const tick = api.task('tick', options, async () => at('cron')());
      grain = api.task('grain', { schema: z.object({ n: z.number() }) }, async () => undefined);
      api.cron({ task: tick, match: '0 0 1 1 *' });
    },
    {
      migrations: migrationFolder({
        '0001_things.ts': `await knex.schema.createTable('things', (t) => { t.increments(); t.text('name').notNullable().defaultTo(''); t.timestamp('created').defaultTo(knex.fn.now()); t.timestamp('modified').defaultTo(knex.fn.now()); })`,
      }),
    },
  );
  return {
    plugin,
    flooded: () => Promise.allSettled(floods),
    letGo: () => hanging.splice(0).forEach((end) => end()),
  };
}

type At = (phase: Phase) => (subject?: unknown) => any;

function contributeContent(api: PluginApi, at: At): void {
  api.route({ path: '/api/v2/hostile/act/', access: { GET: everybody }, handler: at('route') });
  api.resource({
    type: 'hostile_thing',
    path: 'hostile_things',
    table: 'things',
    label: 'Thing',
    fields: { name: field.string() },
    access: { see: authenticated, create: authenticated, change: authenticated },
    orderBy: ['id'],
    validate: at('resource hook'),
    present: at('serializer'),
  });
  api.extend('organization', { summaries: at('extension') });
  api.health(at('health'));
  api.insights.provide('hostile.count', at('insight'));
  api.websocket.group({ name: 'hostile', join: at('join') });
  api.guard('team', 'create', at('guard'));
  api.restrict('team', { row: at('restrict row'), query: at('restrict query') });
}

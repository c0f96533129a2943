import type { Tracer } from '@tapline/plugin-sdk';
import type { Services } from '../app/container.ts';
import { spansBy } from '../hooks/spans.ts';
import { definePluginCron, definePluginTask } from '../jobs/plugin-tasks.ts';
import type { Registries } from './registries.ts';
import { createPluginServices } from './services.ts';
import { tracerBy } from './tracer.ts';

type Core = Pick<Services, 'registries' | 'doors' | 'hooks' | 'queue'> & Services;

/** Opens core's services to the plugins, and puts in their places what narrows or listens. */
export function connectPlugins(core: Core): void {
  const { registries, doors, hooks } = core;
  registries.connect((plugin) => createPluginServices(core, plugin));
  const tracers = registries
    .all('offers')
    .flatMap(({ item }) => (item.point === 'tracer' ? [item.implementation] : []));
  if (tracers.length)
    hooks.intercept(
      spansBy(
        tracerBy(() => tracers as Tracer[]),
        core.log,
      ),
    );
  for (const { plugin, item } of registries.all('restrictions'))
    doors.restrict(item.resource, plugin, item.restriction);
  for (const { item } of registries.all('guards')) doors.guard(item.resource, item.operation, item.fn);
  for (const { item } of registries.all('taps')) {
    if (item.hook === 'beforeStart') hooks.beforeStart(item.options as never, item.tap);
    else hooks.on(item.hook, item.options, item.tap);
  }
}

/** Tasks and the clock, before the queue starts. */
export function definePluginTasks({ registries, queue }: { registries: Registries; queue: Services['queue'] }): void {
  for (const { plugin, item } of registries.all('tasks')) definePluginTask(queue, { plugin, ...item });
  for (const { item } of registries.all('crons')) definePluginCron(queue, item);
}

import { points } from '@tapline/plugin-sdk';
import { spansBy } from '../../hooks/spans.ts';
import { definePluginCron, definePluginTask } from '../../queue/plugin-tasks.ts';
import { offersTo } from '../points.ts';
import type { Registries } from '../registries.ts';
import type { CoreServices } from './core-services.ts';
import { createPluginServices } from './services.ts';
import { tracerBy } from './tracer.ts';

/** Opens core's services to the plugins, and puts in their places what narrows or listens. */
export function connectPlugins(core: CoreServices): void {
  const { registries, doors, hooks } = core;
  registries.connect((plugin) => createPluginServices(core, plugin));
  const tracers = offersTo(registries, points.tracer);
  if (tracers.length)
    hooks.intercept(
      spansBy(
        tracerBy(() => tracers),
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
export function definePluginTasks({
  registries,
  queue,
}: {
  registries: Registries;
  queue: CoreServices['queue'];
}): void {
  for (const { plugin, item } of registries.all('tasks')) definePluginTask(queue, { plugin, ...item });
  for (const { item } of registries.all('crons')) definePluginCron(queue, item);
}

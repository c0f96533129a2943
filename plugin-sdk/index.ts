export * from './api.ts';
export * from './errors.ts';
export * from './execution.ts';
export * from './field.ts';
export * from './format.ts';
export * from './hooks.ts';
export * from './host-timeline.ts';
export * from './in-time.ts';
export * from './notifications.ts';
export * from './parameter.ts';
export * from './places.ts';
export * from './plugin.ts';
export * from './points.ts';
export * from './resource.ts';
export * from './rows/core-rows.ts';
export * from './rows/inventory.ts';
export * from './rows/people.ts';
export * from './rows/runs.ts';
export * from './rows/templates.ts';
export * from './rules.ts';
export * from './run-kind.ts';
export * from './same-kind.ts';
export * from './sandbox.ts';
export * from './services.ts';
export * from './switch-actions.ts';
/** What `api.db` and transactions are. */
export type { Knex } from 'knex';
/** For the schemas of tasks: the service's own copy, so that a plugin need not bring one. */
export { z } from 'zod';

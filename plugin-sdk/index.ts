export * from './api.ts';
export * from './errors.ts';
export * from './field.ts';
export * from './hooks.ts';
export * from './plugin.ts';
export * from './resource.ts';
export * from './rules.ts';
export * from './services.ts';
/** For the schemas of tasks: the service's own copy, so that a plugin need not bring one. */
export { z } from 'zod';

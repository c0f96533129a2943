export * from './errors.ts';
export * from './field.ts';
export * from './hooks.ts';
export * from './resource.ts';

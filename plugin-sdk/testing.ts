export * from './testing/conformance.ts';
export * from './testing/core.ts';
export * from './testing/launch.ts';
export * from './testing/record.ts';
export * from './testing/until.ts';

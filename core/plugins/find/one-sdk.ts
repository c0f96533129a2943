import { registerHooks } from 'node:module';

const sdk = '@tapline/plugin-sdk';
let provided = false;

/**
 * From now on every import of the SDK, from wherever a plugin lies, is the service's own: a package need not bring one
 * along, and errors that it throws are the ones that core knows.
 */
export function provideSdk(): void {
  if (provided) return;
  provided = true;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === sdk || specifier.startsWith(`${sdk}/`)
        ? next(specifier, { ...context, parentURL: import.meta.url })
        : next(specifier, context),
  });
}

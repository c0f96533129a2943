import { isDeepStrictEqual } from 'node:util';
import { ValidationError } from '@tapline/plugin-sdk';
import { SettingProblem } from './check-value.ts';
import type { Settings } from './settings.ts';
import type { ShownSetting } from './shown-settings.ts';

/**
 * What a body changes; keys that are not there or cannot be set are passed over. Clients send whole categories back:
 * where a setting goes by two names, the one that says something new counts.
 * @throws ValidationError with every wrong key
 */
export function planChange(
  settings: Settings,
  shown: readonly ShownSetting[],
  body: Record<string, unknown>,
): Map<string, unknown> {
  const changes = new Map<string, unknown>();
  const errors: Record<string, string[]> = {};
  for (const setting of shown.filter(({ key }) => Object.hasOwn(body, key))) {
    if (!isWritable(setting)) continue;
    try {
      for (const [key, value] of setting.take(body[setting.key])) {
        const state = settings.state(key)!;
        const news = !isDeepStrictEqual(value, state.value);
        if (state.origin !== 'environment' && (news || !changes.has(key))) changes.set(key, value);
      }
    } catch (error) {
      if (!(error instanceof SettingProblem)) throw error;
      errors[setting.key] = [error.message];
    }
  }
  if (Object.keys(errors).length) throw new ValidationError(errors);
  // sent back as it stands: nothing to store
  return new Map([...changes].filter(([key, value]) => !isDeepStrictEqual(value, settings.state(key)!.value)));
}

/** A value from the environment stays until the operator takes it away. */
export const isWritable = ({ origin }: Pick<ShownSetting, 'origin'>) => origin !== 'environment';

/** Every one of these back to what lies below the database. */
export const planReset = (settings: Settings, shown: readonly ShownSetting[]): Map<string, unknown> =>
  new Map(
    shown
      .flatMap(({ keys }) => keys)
      .filter((key) => settings.state(key)!.stored && isWritable(settings.state(key)!))
      .map((key) => [key, undefined]),
  );

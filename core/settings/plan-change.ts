import { isDeepStrictEqual } from 'node:util';
import { ValidationError } from '@tapline/plugin-sdk';
import { SettingProblem } from './check-value.ts';
import type { Settings } from './settings.ts';
import type { ShownSetting } from './shown-settings.ts';

/**
 * What a body changes; keys that are not there are passed over. Clients send whole categories back: where a setting goes by
 * two names, the one that says something new counts, and what the environment says may come back as it stands.
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
    try {
      for (const [key, value] of setting.take(body[setting.key])) {
        const state = settings.state(key)!;
        const news = !isDeepStrictEqual(value, state.value);
        if (news && !isWritable(state)) throw new SettingProblem(fixed(key));
        if (news || !changes.has(key)) changes.set(key, value);
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

export const fixed = (key: string) =>
  `The environment of the service says what it is: it is changed there, by TAPLINE_${key}, and at the next start.`;

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

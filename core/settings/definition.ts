import type { SettingContribution } from '@tapline/plugin-sdk';

/** What a value is; `map` is an object of texts, `object` any object or list. */
export type SettingType = SettingContribution['type'] | 'image' | 'timestamp';

/** A setting can change while the service runs; what cannot stands in config/. As plugins define theirs, with two types of core's own. */
export interface SettingDefinition extends Omit<SettingContribution, 'key' | 'type'> {
  type: SettingType;
}

/** For settings that clients read and write although nothing here follows them: the form must not promise more. */
export const noEffect = 'Accepted for AWX clients; has no effect.';

/** The same for those that nothing will ever follow: one sentence says why. */
export const withoutEffect = (why: string): string => `${noEffect} ${why}`;

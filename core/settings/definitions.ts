import { authenticationSettings } from './categories/authentication.ts';
import { bulkSettings } from './categories/bulk.ts';
import { debugSettings } from './categories/debug.ts';
import { jobSettings } from './categories/jobs.ts';
import { loggingSettings } from './categories/logging.ts';
import { oidcSettings } from './categories/oidc.ts';
import { requestLimitSettings } from './categories/request-limits.ts';
import { retentionSettings } from './categories/retention.ts';
import { runLimitSettings } from './categories/run-limits.ts';
import { systemSettings } from './categories/system.ts';
import { uiSettings } from './categories/ui.ts';

/** Every setting of core. */
export const settingDefinitions = {
  ...systemSettings,
  ...requestLimitSettings,
  ...retentionSettings,
  ...jobSettings,
  ...runLimitSettings,
  ...authenticationSettings,
  ...uiSettings,
  ...loggingSettings,
  ...bulkSettings,
  ...debugSettings,
  ...oidcSettings,
};

export type SettingKey = keyof typeof settingDefinitions;

type Plain<D> = D extends { type: 'integer' }
  ? number
  : D extends { type: 'boolean' }
    ? boolean
    : D extends { type: 'list' }
      ? readonly string[]
      : D extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : D extends { type: 'map' }
          ? Readonly<Record<string, string>>
          : D extends { type: 'object' }
            ? Readonly<Record<string, unknown>>
            : string;
type ValueOf<D> = D extends { nullable: true } ? Plain<D> | null : Plain<D>;
export type SettingValues = { [K in SettingKey]: ValueOf<(typeof settingDefinitions)[K]> };

import { noEffect, type SettingDefinition } from '../definition.ts';

export const debugSettings = {
  AWX_CLEANUP_PATHS: { category: 'debug', type: 'boolean', default: true, help: noEffect },
  RECEPTOR_RELEASE_WORK: { category: 'debug', type: 'boolean', default: true, help: noEffect },
  AWX_REQUEST_PROFILE: { category: 'debug', type: 'boolean', default: false, help: noEffect },
} as const satisfies Record<string, SettingDefinition>;

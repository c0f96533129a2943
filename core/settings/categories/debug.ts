import { type SettingDefinition, withoutEffect } from '../definition.ts';

export const debugSettings = {
  AWX_CLEANUP_PATHS: {
    category: 'debug',
    type: 'boolean',
    default: true,
    help: withoutEffect('The folder of a run holds its secrets and is always removed.'),
  },
  RECEPTOR_RELEASE_WORK: {
    category: 'debug',
    type: 'boolean',
    default: true,
    help: withoutEffect('Nodes talk by the database; there is no Receptor whose work could be released.'),
  },
  AWX_REQUEST_PROFILE: {
    category: 'debug',
    type: 'boolean',
    default: false,
    help: withoutEffect('Requests are measured at /metrics, each plugin and each hook apart.'),
  },
} as const satisfies Record<string, SettingDefinition>;

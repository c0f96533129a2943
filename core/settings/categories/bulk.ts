import { noEffect, type SettingDefinition } from '../definition.ts';

export const bulkSettings = {
  BULK_JOB_MAX_LAUNCH: { category: 'bulk', type: 'integer', min: 0, default: 100, help: noEffect },
  BULK_HOST_MAX_CREATE: { category: 'bulk', type: 'integer', min: 0, default: 100, help: noEffect },
  BULK_HOST_MAX_DELETE: { category: 'bulk', type: 'integer', min: 0, default: 250, help: noEffect },
} as const satisfies Record<string, SettingDefinition>;

import type { SettingDefinition } from '../definition.ts';

export const bulkSettings = {
  BULK_JOB_MAX_LAUNCH: {
    category: 'bulk',
    type: 'integer',
    min: 0,
    default: 100,
    help: 'How many jobs one request to bulk/job_launch/ may launch.',
  },
  BULK_HOST_MAX_CREATE: {
    category: 'bulk',
    type: 'integer',
    min: 0,
    default: 100,
    help: 'How many hosts one request to bulk/host_create/ may make.',
  },
  BULK_HOST_MAX_DELETE: {
    category: 'bulk',
    type: 'integer',
    min: 0,
    default: 250,
    help: 'How many hosts one request to bulk/host_delete/ may delete.',
  },
} as const satisfies Record<string, SettingDefinition>;

import type { Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { namedUrls } from './named-urls.ts';

/** Shown among the settings, but nobody's to set. */
export interface SettingFact {
  category: string;
  type: 'string' | 'boolean' | 'list' | 'nested object' | 'datetime';
  help: string;
  value: unknown;
}

export function settingFacts(resources: readonly Resource[]): Record<string, SettingFact> {
  const { formats, nodes } = namedUrls(resources);
  return {
    LICENSE: { category: 'system', type: 'nested object', help: 'There is no licence to enter.', value: {} },
    // read from the database with the page
    INSTALL_UUID: { category: 'system', type: 'string', help: 'Tells this installation from others.', value: '' },
    DEFAULT_CONTROL_PLANE_QUEUE_NAME: {
      category: 'system',
      type: 'string',
      help: 'The instance group whose nodes run the service itself.',
      value: 'controlplane',
    },
    DEFAULT_EXECUTION_QUEUE_NAME: {
      category: 'system',
      type: 'string',
      help: 'The instance group that jobs use which name none.',
      value: 'default',
    },
    CLEANUP_HOST_METRICS_LAST_TS: {
      category: 'system',
      type: 'datetime',
      help: 'When hosts long out of use left host_metrics/ last.',
      value: null,
    },
    HOST_METRIC_SUMMARY_TASK_LAST_TS: {
      category: 'system',
      type: 'datetime',
      help: 'When host_metric_summary_monthly/ was summed up last.',
      value: null,
    },
    IS_K8S: { category: 'system', type: 'boolean', help: 'Whether jobs run in Kubernetes pods.', value: false },
    AUTHENTICATION_BACKENDS: {
      category: 'authentication',
      type: 'list',
      help: 'The ways to log in, in the order in which they are tried.',
      value: ['local'],
    },
    NAMED_URL_FORMATS: {
      category: 'named-url',
      type: 'nested object',
      help: 'What may stand in place of an id in addresses, by resource.',
      value: formats,
    },
    NAMED_URL_GRAPH_NODES: {
      category: 'named-url',
      type: 'nested object',
      help: 'The parts of those names, and the links whose names follow.',
      value: nodes,
    },
  };
}

/** Key → where its value is stored. */
export const storedFacts = {
  INSTALL_UUID: 'install_uuid',
  CLEANUP_HOST_METRICS_LAST_TS: 'host_metrics_cleaned',
  HOST_METRIC_SUMMARY_TASK_LAST_TS: 'host_metrics_summarized',
} as const;

/** Of these facts the values that stand in the database, where they do. */
export async function readFacts(db: Knex, keys: readonly string[]): Promise<Record<string, unknown>> {
  const asked = Object.entries(storedFacts).filter(([key]) => keys.includes(key));
  if (!asked.length) return {};
  const rows: { key: string; value: unknown }[] = await db('service_state')
    .whereRaw('key = any (?)', [asked.map(([, place]) => place)])
    .select('key', 'value');
  const values = new Map(rows.map(({ key, value }) => [key, value]));
  return Object.fromEntries(asked.flatMap(([key, place]) => (values.has(place) ? [[key, values.get(place)]] : [])));
}

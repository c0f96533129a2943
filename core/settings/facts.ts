import type { Resource } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { namedUrls } from './named-urls.ts';

/** Shown among the settings, but nobody's to set. */
export interface SettingFact {
  category: string;
  type: 'string' | 'boolean' | 'list' | 'nested object';
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

export async function readInstallUuid(db: Knex): Promise<string> {
  const [row] = await db('service_state').where('key', 'install_uuid').select('value');
  return row?.value ?? '';
}

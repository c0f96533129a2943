import { type SettingDefinition, withoutEffect } from '../definition.ts';

const unsent = withoutEffect(
  'The log goes to standard error as lines of JSON, from where a collector of the machine takes it; the service sends it nowhere.',
);

export const loggingSettings = {
  LOG_AGGREGATOR_HOST: { category: 'logging', type: 'string', nullable: true, default: null, help: unsent },
  LOG_AGGREGATOR_PORT: {
    category: 'logging',
    type: 'integer',
    min: 1,
    max: 65_535,
    nullable: true,
    default: null,
    help: unsent,
  },
  LOG_AGGREGATOR_TYPE: {
    category: 'logging',
    type: 'choice',
    choices: ['logstash', 'splunk', 'loggly', 'sumologic', 'other'],
    nullable: true,
    default: null,
    help: unsent,
  },
  LOG_AGGREGATOR_USERNAME: { category: 'logging', type: 'string', default: '', help: unsent },
  LOG_AGGREGATOR_PASSWORD: { category: 'logging', type: 'string', secret: true, default: '', help: unsent },
  LOG_AGGREGATOR_LOGGERS: {
    category: 'logging',
    type: 'list',
    default: ['awx', 'activity_stream', 'job_events', 'system_tracking', 'broadcast_websocket', 'job_lifecycle'],
    help: unsent,
  },
  LOG_AGGREGATOR_INDIVIDUAL_FACTS: { category: 'logging', type: 'boolean', default: false, help: unsent },
  LOG_AGGREGATOR_ENABLED: { category: 'logging', type: 'boolean', default: false, help: unsent },
  LOG_AGGREGATOR_TOWER_UUID: { category: 'logging', type: 'string', default: '', help: unsent },
  LOG_AGGREGATOR_PROTOCOL: {
    category: 'logging',
    type: 'choice',
    choices: ['https', 'tcp', 'udp'],
    default: 'https',
    help: unsent,
  },
  LOG_AGGREGATOR_TCP_TIMEOUT: {
    category: 'logging',
    type: 'integer',
    min: 0,
    default: 5,
    unit: 'seconds',
    help: unsent,
  },
  LOG_AGGREGATOR_VERIFY_CERT: { category: 'logging', type: 'boolean', default: true, help: unsent },
  LOG_AGGREGATOR_LEVEL: {
    category: 'logging',
    type: 'choice',
    choices: ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'],
    default: 'WARNING',
    help: unsent,
  },
  LOG_AGGREGATOR_ACTION_QUEUE_SIZE: { category: 'logging', type: 'integer', min: 1, default: 131_072, help: unsent },
  LOG_AGGREGATOR_ACTION_MAX_DISK_USAGE_GB: {
    category: 'logging',
    type: 'integer',
    min: 1,
    default: 1,
    help: unsent,
  },
  LOG_AGGREGATOR_MAX_DISK_USAGE_PATH: {
    category: 'logging',
    type: 'string',
    // the data folder is put here once it is known
    default: '/var/lib/tapline',
    help: unsent,
  },
  LOG_AGGREGATOR_RSYSLOGD_DEBUG: { category: 'logging', type: 'boolean', default: false, help: unsent },
  API_400_ERROR_LOG_FORMAT: {
    category: 'logging',
    type: 'string',
    default: 'status {status_code} for user {user_name} at {url_path} from {remote_addr}',
    help: withoutEffect(
      'Refused requests stand in the log as fields of JSON: status, user, path and address among them.',
    ),
  },
} as const satisfies Record<string, SettingDefinition>;

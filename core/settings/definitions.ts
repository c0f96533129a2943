/** A setting can change while the service runs; what cannot stands in config/. */
export interface SettingDefinition {
  category: 'jobs' | 'system' | 'authentication' | 'bulk' | 'retention';
  type: 'integer' | 'boolean' | 'string' | 'list' | 'choice';
  default: number | boolean | string | readonly string[];
  help: string;
  choices?: readonly string[];
  min?: number;
  max?: number;
}

const seconds = (fallback: number, help: string): SettingDefinition => ({
  category: 'jobs',
  type: 'integer',
  min: 0,
  default: fallback,
  help: `${help} In seconds; 0 = none.`,
});
const count = (fallback: number, help: string): SettingDefinition => ({
  category: 'jobs',
  type: 'integer',
  min: 0,
  default: fallback,
  help,
});

const adHocModules = [
  'command',
  'shell',
  'yum',
  'apt',
  'apt_key',
  'apt_repository',
  'apt_rpm',
  'service',
  'group',
  'user',
  'mount',
  'ping',
  'selinux',
  'setup',
  'win_ping',
  'win_service',
  'win_updates',
  'win_group',
  'win_user',
];

export const settingDefinitions = {
  MAX_FORKS: count(200, 'Highest number of forks that a template may ask for; 0 = no limit.'),
  DEFAULT_JOB_TIMEOUT: seconds(0, 'Longest time a job may run when its template says nothing.'),
  DEFAULT_PROJECT_UPDATE_TIMEOUT: seconds(0, 'Longest time a project update may run when the project says nothing.'),
  DEFAULT_JOB_IDLE_TIMEOUT: seconds(0, 'Longest time a job may write nothing.'),
  SCHEDULE_MAX_JOBS: count(10, 'Active runs of one template beyond which schedules skip it.'),
  STDOUT_MAX_BYTES_DISPLAY: count(1_048_576, 'Largest standard output that is shown; larger ones can be downloaded.'),
  EVENT_STDOUT_MAX_BYTES_DISPLAY: count(1024, "Where an event's text is cut on lists; 0 = not at all."),
  MAX_UI_JOB_EVENTS: count(4000, 'Number of events that a web client loads at most.'),
  MAX_EVENT_RES_DATA: count(25_000_000, 'Largest result, in bytes, that is stored with an event.'),
  MAX_WEBSOCKET_EVENT_RATE: count(30, 'Event messages per run and second on a WebSocket.'),
  BULK_JOB_MAX_LAUNCH: { ...count(100, 'Jobs that one bulk launch may hold.'), category: 'bulk' },
  BULK_HOST_MAX_CREATE: { ...count(100, 'Hosts that one bulk create may hold.'), category: 'bulk' },
  BULK_HOST_MAX_DELETE: { ...count(250, 'Hosts that one bulk delete may hold.'), category: 'bulk' },
  AD_HOC_COMMANDS: {
    category: 'jobs',
    type: 'list',
    default: adHocModules,
    help: 'Modules that ad hoc commands may use.',
  },
  ALLOW_JINJA_IN_EXTRA_VARS: {
    category: 'jobs',
    type: 'choice',
    choices: ['always', 'never', 'template'],
    default: 'template',
    help: 'Where extra variables may hold Jinja expressions: anywhere, nowhere, or only in the template itself.',
  },
  ENGINE_FACT_CACHE_TIMEOUT: {
    ...seconds(0, 'Age after which stored facts are not used any more.'),
    help: 'Age in seconds after which stored facts are not used any more; 0 = never.',
  },
  SPOOL_LIMIT_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 1_048_576,
    default: 268_435_456,
    help: 'Output of a run, in bytes, that may wait to be stored before its engine is paused.',
  },
  AWX_ISOLATION_SHOW_PATHS: {
    category: 'jobs',
    type: 'list',
    default: [],
    help: 'Further folders that playbooks see: host[:inside[:ro|rw]].',
  },
  PROJECT_FILE_URLS: {
    category: 'jobs',
    type: 'list',
    default: [],
    help: 'Folders whose repositories may be used by file:// URL.',
  },
  ACTIVITY_STREAM_ENABLED: {
    category: 'system',
    type: 'boolean',
    default: true,
    help: 'Write down who created, changed, deleted and linked what.',
  },
  LOGIN_ATTEMPTS_PER_MINUTE: {
    category: 'authentication',
    type: 'integer',
    min: 0,
    default: 10,
    help: 'Failed logins per minute, per address and user, before further ones answer 429; 0 = no limit.',
  },
  AUTH_BASIC_ENABLED: {
    category: 'authentication',
    type: 'boolean',
    default: true,
    help: 'Accept a user name and password with every request (HTTP Basic).',
  },
  SESSION_COOKIE_AGE: {
    category: 'authentication',
    type: 'integer',
    min: 60,
    max: 30_000_000_000,
    default: 1800,
    help: 'Seconds without a request after which a session ends.',
  },
  SESSION_ABSOLUTE_AGE: {
    category: 'authentication',
    type: 'integer',
    min: 0,
    max: 30_000_000_000,
    default: 86_400,
    help: 'Seconds after its login when a session ends, however busy it is; 0 = never.',
  },
  SESSIONS_PER_USER: {
    category: 'authentication',
    type: 'integer',
    min: -1,
    default: -1,
    help: 'Sessions that a user may have at once (one at least); a login beyond ends the oldest. -1 = any number.',
  },
  CSRF_TRUSTED_ORIGINS: {
    category: 'system',
    type: 'list',
    default: [],
    help: 'Further origins whose pages may change things in a session: https://host[:port], or https://*.domain for every host below it.',
  },
  OAUTH2_CODE_EXPIRE_SECONDS: {
    category: 'authentication',
    type: 'integer',
    min: 1,
    default: 600,
    help: 'Lifetime of an authorization code.',
  },
  OAUTH2_REFRESH_EXPIRE_SECONDS: {
    category: 'authentication',
    type: 'integer',
    min: 1,
    max: 30_000_000_000,
    default: 2_628_000,
    help: 'Lifetime of a refresh token.',
  },
  LOCAL_PASSWORD_MIN_LENGTH: {
    category: 'authentication',
    type: 'integer',
    min: 0,
    max: 128,
    default: 0,
    help: 'Least number of characters of a new password.',
  },
  LOCAL_PASSWORD_MIN_DIGITS: {
    category: 'authentication',
    type: 'integer',
    min: 0,
    max: 128,
    default: 0,
    help: 'Least number of digits in a new password.',
  },
  LOCAL_PASSWORD_MIN_UPPER: {
    category: 'authentication',
    type: 'integer',
    min: 0,
    max: 128,
    default: 0,
    help: 'Least number of upper case letters in a new password.',
  },
  LOCAL_PASSWORD_MIN_SPECIAL: {
    category: 'authentication',
    type: 'integer',
    min: 0,
    max: 128,
    default: 0,
    help: 'Least number of characters in a new password that are neither letter nor digit.',
  },
  TOKEN_EXPIRE_SECONDS: {
    category: 'authentication',
    type: 'integer',
    min: 1,
    default: 31_536_000_000,
    help: 'Lifetime of a personal token.',
  },
  MAX_PAGE_SIZE: { category: 'system', type: 'integer', min: 1, default: 200, help: 'Largest page of a list.' },
  MAX_BODY_BYTES: {
    category: 'system',
    type: 'integer',
    min: 1024,
    default: 10_485_760,
    help: 'Largest request body in bytes.',
  },
} as const satisfies Record<string, SettingDefinition>;

export type SettingKey = keyof typeof settingDefinitions;

type ValueOf<D> = D extends { type: 'integer' }
  ? number
  : D extends { type: 'boolean' }
    ? boolean
    : D extends { type: 'list' }
      ? readonly string[]
      : D extends { type: 'choice'; choices: readonly (infer C)[] }
        ? C
        : string;
export type SettingValues = { [K in SettingKey]: ValueOf<(typeof settingDefinitions)[K]> };

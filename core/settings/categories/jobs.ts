import { noEffect, type SettingDefinition } from '../definition.ts';
import { adHocModules } from './ad-hoc-modules.ts';

const showPath = /^\/[^:\0]*(:\/[^:\0]*)?(:(z|O|ro|rw))?$/;

export const jobSettings = {
  MAX_FORKS: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 200,
    help: 'Highest number of forks that a template may ask for; 0 = no limit.',
  },
  DEFAULT_JOB_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: 'Longest time a job may run when its template says nothing. In seconds; 0 = none.',
  },
  DEFAULT_PROJECT_UPDATE_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: 'Longest time a project update may run when the project says nothing. In seconds; 0 = none.',
  },
  DEFAULT_JOB_IDLE_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: noEffect,
  },
  DEFAULT_INVENTORY_UPDATE_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: noEffect,
  },
  ENGINE_FACT_CACHE_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: 'Age in seconds after which stored facts are not used any more; 0 = never.',
  },
  SCHEDULE_MAX_JOBS: { category: 'jobs', type: 'integer', min: 1, default: 10, help: noEffect },
  STDOUT_MAX_BYTES_DISPLAY: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 1_048_576,
    help: 'Largest standard output that is shown; larger ones can be downloaded.',
  },
  EVENT_STDOUT_MAX_BYTES_DISPLAY: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 1024,
    help: "Where an event's text is cut on lists; 0 = not at all.",
  },
  MAX_WEBSOCKET_EVENT_RATE: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 30,
    help: 'Event messages per run and second on a WebSocket.',
  },
  MAX_EVENT_RES_DATA: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 25_000_000,
    help: 'Largest result, in bytes, that is stored with an event.',
  },
  SPOOL_LIMIT_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 1_048_576,
    default: 268_435_456,
    help: 'Output of a run, in bytes, that may wait to be stored before its engine is paused.',
  },
  AD_HOC_COMMANDS: { category: 'jobs', type: 'list', default: adHocModules, help: noEffect },
  ALLOW_JINJA_IN_EXTRA_VARS: {
    category: 'jobs',
    type: 'choice',
    choices: ['always', 'never', 'template'],
    default: 'template',
    help: 'Where extra variables may hold Jinja expressions: anywhere, nowhere, or only in the template itself.',
  },
  AWX_ISOLATION_SHOW_PATHS: {
    category: 'jobs',
    type: 'list',
    default: [],
    help: 'Further folders that playbooks see: host[:inside[:ro|rw]].',
    check: (paths: readonly string[]) => {
      const wrong = paths.find((path) => !showPath.test(path));
      return wrong === undefined
        ? undefined
        : `${JSON.stringify(wrong)} is not of the form host[:inside[:z|O|ro|rw]] with absolute folders.`;
    },
  },
  PROJECT_FILE_URLS: {
    category: 'jobs',
    type: 'list',
    default: [],
    help: 'Folders whose repositories may be used by file:// URL.',
  },
  AWX_ISOLATION_BASE_PATH: { category: 'jobs', type: 'string', default: '/tmp', help: noEffect },
  AWX_TASK_ENV: { category: 'jobs', type: 'map', default: {}, help: noEffect },
  GALAXY_TASK_ENV: {
    category: 'jobs',
    type: 'map',
    default: { ANSIBLE_FORCE_COLOR: 'false', GIT_SSH_COMMAND: 'ssh -o StrictHostKeyChecking=no' },
    help: "Environment for the installation of a project's requirements.yml.",
  },
  AWX_RUNNER_KEEPALIVE_SECONDS: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: noEffect,
  },
  AWX_ANSIBLE_CALLBACK_PLUGINS: { category: 'jobs', type: 'list', default: [], help: noEffect },
  DEFAULT_CONTAINER_RUN_OPTIONS: {
    category: 'jobs',
    type: 'list',
    default: ['--network', 'slirp4netns:enable_ipv6=true'],
    help: noEffect,
  },
  PROJECT_UPDATE_VVV: { category: 'jobs', type: 'boolean', default: false, help: noEffect },
  AWX_SHOW_PLAYBOOK_LINKS: { category: 'jobs', type: 'boolean', default: false, help: noEffect },
  AWX_MOUNT_ISOLATED_PATHS_ON_K8S: { category: 'jobs', type: 'boolean', default: false, help: noEffect },
  GALAXY_IGNORE_CERTS: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: "Certificates are not checked while a project's requirements.yml is installed.",
  },
  ENABLE_ANSIBLE_29: { category: 'jobs', type: 'boolean', default: false, help: noEffect },
  AWX_ROLES_ENABLED: {
    category: 'jobs',
    type: 'boolean',
    default: true,
    help: 'Updates of a project install the roles that its requirements.yml or roles/requirements.yml names.',
  },
  AWX_COLLECTIONS_ENABLED: {
    category: 'jobs',
    type: 'boolean',
    default: true,
    help: 'Updates of a project install the collections that its requirements.yml or collections/requirements.yml names.',
  },
} as const satisfies Record<string, SettingDefinition>;

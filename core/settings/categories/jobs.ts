import { type SettingDefinition, withoutEffect } from '../definition.ts';
import { adHocModules } from './ad-hoc-modules.ts';

const showPath = /^\/[^:\0]*(:\/[^:\0]*)?(:(z|O|ro|rw))?$/;

const variableProblem = (name: string): string | undefined =>
  /^[A-Za-z_][A-Za-z0-9_]{0,200}$/.test(name)
    ? undefined
    : `${JSON.stringify(name)} is no name of an environment variable.`;

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
    help: 'Longest time that a job or an ad hoc command may say nothing before it is ended as failed. In seconds; 0 = any time.',
  },
  DEFAULT_INVENTORY_UPDATE_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: 'Longest time an inventory update may run when its source says nothing. In seconds; 0 = none.',
  },
  ENGINE_FACT_CACHE_TIMEOUT: {
    category: 'jobs',
    type: 'integer',
    min: 0,
    default: 0,
    unit: 'seconds',
    help: 'Age in seconds after which stored facts are not used any more; 0 = never.',
  },
  SCHEDULE_MAX_JOBS: {
    category: 'jobs',
    type: 'integer',
    min: 1,
    default: 10,
    help: 'A time of a schedule passes without a launch while its template has so many active runs.',
  },
  DISABLE_ALL_SCHEDULES: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: 'Nothing is launched by the clock; schedules stay as they are and are shown as disabled.',
  },
  SCHEDULE_MISSED_AFTER: {
    category: 'jobs',
    type: 'integer',
    min: 60,
    max: 86_400,
    default: 300,
    unit: 'seconds',
    help: 'A time of a schedule that nobody launched for so long is missed: it is skipped, or caught up with one launch where the schedule says so.',
  },
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
    default: 700_000,
    help: 'Largest result, in bytes, that is stored with an event, and largest artifacts of a run.',
  },
  SPOOL_LIMIT_BYTES: {
    category: 'jobs',
    type: 'integer',
    min: 1_048_576,
    default: 268_435_456,
    help: 'Output of a run, in bytes, that may wait to be stored before its engine is paused.',
  },
  MAX_VARIABLES_LENGTH: {
    category: 'jobs',
    type: 'integer',
    min: 1000,
    default: 1_000_000,
    unit: 'characters',
    help: 'Longest text of variables that an inventory, a group, a host, a template or a launch may send, and longest JSON of a field that holds a document. In characters.',
  },
  MAX_TEXT_LENGTH: {
    category: 'jobs',
    type: 'integer',
    min: 1000,
    default: 65_536,
    unit: 'characters',
    help: 'Longest text, a description for instance, of a field that has no limit of its own. In characters.',
  },
  EXECUTION_ENVIRONMENT_MISSING: {
    category: 'jobs',
    type: 'choice',
    choices: ['run', 'fail'],
    default: 'run',
    help: 'What becomes of a run with an execution environment on a node that starts no containers (CONTAINER_COMMAND): it runs with the engine of its node and says so, or it fails.',
  },
  WORKFLOW_ALLOW_SELF_APPROVAL: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: 'Whether who launched a workflow may approve its steps.',
  },
  WORKFLOW_STATS_ARTIFACTS: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: 'Whether the nodes of a workflow hand on how the hosts of their jobs went, as artifacts svc_stats_*, below what their playbooks set.',
  },
  AD_HOC_COMMANDS: {
    category: 'jobs',
    type: 'list',
    default: adHocModules,
    help: 'Modules that ad hoc commands may run.',
  },
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
  AWX_ISOLATION_BASE_PATH: {
    category: 'jobs',
    type: 'string',
    default: '/tmp',
    help: withoutEffect('Folders of runs lie in the data folder, so that another process can take a run over.'),
  },
  AWX_TASK_ENV: {
    category: 'jobs',
    type: 'map',
    default: {},
    help: 'Environment variables for jobs, ad hoc commands and project updates, a proxy for instance. What credentials and the service itself set goes before.',
    check: (variables: Readonly<Record<string, string>>) => Object.keys(variables).map(variableProblem).find(Boolean),
  },
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
    help: withoutEffect('Output goes to files that the service reads; there is no connection that could fall silent.'),
  },
  AWX_ANSIBLE_CALLBACK_PLUGINS: {
    category: 'jobs',
    type: 'list',
    default: [],
    help: 'Folders of the nodes with further callback plugins of the engine, which runs see read-only. ANSIBLE_CALLBACKS_ENABLED in AWX_TASK_ENV names those that are to be used.',
    check: (folders: readonly string[]) => {
      const wrong = folders.find((folder) => !/^\/[^:\0]*$/.test(folder));
      return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is no absolute folder without a colon.`;
    },
  },
  DEFAULT_CONTAINER_RUN_OPTIONS: {
    category: 'jobs',
    type: 'list',
    default: ['--network', 'slirp4netns:enable_ipv6=true'],
    help: withoutEffect('The service itself says how containers are confined, which options of podman could undo.'),
  },
  PROJECT_UPDATE_VVV: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: 'Updates of a project tell at length (-vvv) how its requirements are installed.',
  },
  AWX_SHOW_PLAYBOOK_LINKS: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: withoutEffect('A link is never a playbook: it may lead out of the project.'),
  },
  AWX_MOUNT_ISOLATED_PATHS_ON_K8S: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: withoutEffect('Runs are not carried out in pods.'),
  },
  GALAXY_IGNORE_CERTS: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: "Certificates are not checked while a project's requirements.yml is installed.",
  },
  ENABLE_ANSIBLE_29: {
    category: 'jobs',
    type: 'boolean',
    default: false,
    help: withoutEffect('The engine comes with the service, and is newer.'),
  },
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

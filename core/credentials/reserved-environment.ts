/** Read by the dynamic linker or the C library of every program, also of those that still run as root before the engine does. */
export const dangerousVariable =
  /^(LD_.*|GLIBC_TUNABLES|GCONV_PATH|GETCONF_DIR|LOCPATH|NLSPATH|MALLOC_.*|HOSTALIASES|LOCALDOMAIN|RES_OPTIONS|RESOLV_HOST_CONF|NIS_PATH|TZDIR)$/;

/** What runs set themselves, or older servers did: playbooks may read it. */
const ofRuns = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'PYTHONPATH',
  'PYTHONHOME',
  'VIRTUAL_ENV',
  'JOB_ID',
  'INVENTORY_ID',
  'INVENTORY_SOURCE_ID',
  'INVENTORY_UPDATE_ID',
  'INVENTORY_HOSTVARS',
  'AD_HOC_COMMAND_ID',
  'REST_API_URL',
  'REST_API_TOKEN',
  'CACHE',
  'MAX_EVENT_RES',
  'PROJECT_REVISION',
  'CALLBACK_QUEUE',
  'CALLBACK_CONNECTION',
  'JOB_CALLBACK_DEBUG',
  'PROOT_TMP_DIR',
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
]);

/** Names that a credential type of a user may not set. */
export const isReservedVariable = (name: string): boolean =>
  name.startsWith('ANSIBLE_') || name.startsWith('TAPLINE_') || ofRuns.has(name) || dangerousVariable.test(name);

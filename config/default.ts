/** What holds when the environment says nothing. Every key is explained in schema.ts. */
export const defaults = {
  PORT: '8052',
  HOST: '127.0.0.1',
  DATABASE_URL: '',
  TAPLINE_ROLES: 'web,worker',
  LOG_LEVEL: 'info',
  ENGINE_COMMAND: '',
  CONTAINER_COMMAND: 'podman',
  ENGINE_UIDS: '64321-65320',
  ENGINE_CGROUP: '',
  KUBERNETES_TOKEN_FILE: '/var/run/secrets/kubernetes.io/serviceaccount/token',
  ADMIN_PASSWORD: '',
  TAPLINE_SECRET_KEY: '',
} as const;

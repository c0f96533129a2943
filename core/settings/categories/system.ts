import { hostProblem, networkProblem } from '../../outbound/addresses.ts';
import { type SettingDefinition, withoutEffect } from '../definition.ts';

const headerProblem = (name: string): string | undefined =>
  /^[A-Z][A-Z0-9_]{0,100}$/.test(name)
    ? undefined
    : `${JSON.stringify(name)} is no name of a header in the form HTTP_X_FORWARDED_FOR.`;

const uncollected = withoutEffect('Nothing is collected or sent anywhere.');
const unsubscribed = withoutEffect('There is no subscription to ask for.');

export const systemSettings = {
  ACTIVITY_STREAM_ENABLED: {
    category: 'system',
    type: 'boolean',
    default: true,
    help: 'Write down who changed what; entries that are there stay.',
  },
  AUDIT_RETENTION_DAYS: {
    category: 'system',
    type: 'integer',
    min: 0,
    max: 36_500,
    default: 0,
    help: 'Days that events of the audit log are kept; 0 keeps them for ever. The log says what was removed.',
  },
  ACTIVITY_STREAM_ENABLED_FOR_INVENTORY_SYNC: {
    category: 'system',
    type: 'boolean',
    default: false,
    help: withoutEffect('An inventory update says itself what it changed.'),
  },
  MANAGE_ORGANIZATION_AUTH: {
    category: 'system',
    type: 'boolean',
    default: true,
    help: 'Whether administrators of organizations may manage users, teams and memberships; else superusers only.',
  },
  ORG_ADMINS_CAN_SEE_ALL_USERS: {
    category: 'system',
    type: 'boolean',
    default: true,
    help: 'Whether administrators and auditors of an organization see every user and team, not only their own.',
  },
  API_PRODUCT_NAME: {
    category: 'system',
    type: 'string',
    default: 'Tapline',
    label: 'Name in X-API-Product-Name',
    help: 'What the service calls itself to clients of the API: AWX where one insists on it.',
    check: (name: string) =>
      /^[\x21-\x7e]([\x20-\x7e]{0,98}[\x21-\x7e])?$/.test(name)
        ? undefined
        : 'Must be 1 to 100 printable ASCII characters.',
  },
  TOWER_URL_BASE: {
    category: 'system',
    type: 'url',
    // the service's own address is put here once it is known
    default: 'http://localhost:8052',
    label: 'Base address of the service',
    help: 'Where people reach the service: links in what is told to other systems begin with it.',
  },
  REMOTE_HOST_HEADERS: {
    category: 'system',
    type: 'list',
    default: ['REMOTE_ADDR', 'REMOTE_HOST'],
    help: 'Where the address of a client is looked for, in this order: headers such as HTTP_X_FORWARDED_FOR, which count only behind a proxy of PROXY_IP_ALLOWED_LIST; REMOTE_ADDR is the connection itself.',
    check: (names: readonly string[]) => names.map(headerProblem).find(Boolean),
  },
  OUTBOUND_ALLOWED_NETWORKS: {
    category: 'system',
    type: 'list',
    default: [],
    label: 'Networks that requests may reach',
    help: 'Addresses and networks (10.0.0.0/8) beyond the public internet that addresses given by users may lead to.',
    check: (networks: readonly string[]) => networks.map(networkProblem).find(Boolean),
  },
  WEBHOOK_STATUS_HOSTS: {
    category: 'system',
    type: 'list',
    default: ['api.github.com', 'gitlab.com'],
    label: 'Hosts that are told how jobs of webhooks go',
    help: 'Hosts (git.example.org, git.example.org:8443) that the access token of a webhook credential may be sent to. Where a webhook names another one, nothing is told.',
    check: (hosts: readonly string[]) => hosts.map(hostProblem).find(Boolean),
  },
  VAULT_KUBERNETES_HOSTS: {
    category: 'system',
    type: 'list',
    default: [],
    label: 'Vaults that this service logs in to by its own account',
    help: 'Hosts (vault.example.org, vault.example.org:8200) of vaults that credentials with a Kubernetes role may log in to. The token of the service account is sent to no other, and whoever may make credentials reads there what the named role may.',
    check: (hosts: readonly string[]) => hosts.map(hostProblem).find(Boolean),
  },
  PROXY_IP_ALLOWED_LIST: {
    category: 'system',
    type: 'list',
    default: [],
    label: 'Proxies in front of the service',
    help: 'Addresses and networks of proxies whose headers of REMOTE_HOST_HEADERS are believed.',
    check: (networks: readonly string[]) => networks.map(networkProblem).find(Boolean),
  },
  CSRF_TRUSTED_ORIGINS: {
    category: 'system',
    type: 'list',
    default: [],
    help: 'Further origins whose pages may change things in a session: https://host[:port], or https://*.domain for every host below it.',
  },
  DEFAULT_EXECUTION_ENVIRONMENT: {
    category: 'system',
    type: 'integer',
    min: 1,
    nullable: true,
    default: null,
    help: 'Number of the execution environment of runs for which nobody names another one.',
  },
  REDHAT_USERNAME: { category: 'system', type: 'string', default: '', help: unsubscribed },
  REDHAT_PASSWORD: { category: 'system', type: 'string', secret: true, default: '', help: unsubscribed },
  SUBSCRIPTIONS_USERNAME: { category: 'system', type: 'string', default: '', help: unsubscribed },
  SUBSCRIPTIONS_PASSWORD: { category: 'system', type: 'string', secret: true, default: '', help: unsubscribed },
  SUBSCRIPTION_USAGE_MODEL: {
    category: 'system',
    type: 'choice',
    choices: ['', 'unique_managed_hosts'],
    default: '',
    help: unsubscribed,
  },
  AUTOMATION_ANALYTICS_URL: { category: 'system', type: 'string', default: '', help: uncollected },
  AUTOMATION_ANALYTICS_GATHER_INTERVAL: {
    category: 'system',
    type: 'integer',
    min: 1800,
    default: 14_400,
    unit: 'seconds',
    help: uncollected,
  },
  AUTOMATION_ANALYTICS_LAST_GATHER: {
    category: 'system',
    type: 'timestamp',
    nullable: true,
    default: null,
    help: uncollected,
  },
  AUTOMATION_ANALYTICS_LAST_ENTRIES: { category: 'system', type: 'string', default: '', help: uncollected },
  INSIGHTS_TRACKING_STATE: { category: 'system', type: 'boolean', default: false, help: uncollected },
  UI_NEXT: {
    category: 'system',
    type: 'boolean',
    default: false,
    help: withoutEffect('There is one console, and no next one to try.'),
  },
} as const satisfies Record<string, SettingDefinition>;

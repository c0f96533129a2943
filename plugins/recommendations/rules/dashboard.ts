import type { Rule } from '../rule.ts';

export const dashboardRules = {
  default_admin_password: {
    id: 'default_admin_password',
    scope: 'dashboard',
    severity: 'critical',
    title: 'Default admin password in use',
    action_link: '/users',
    evaluate: ({ default_admin_password }) =>
      default_admin_password
        ? {
            why: 'The administrator still has the password of the installation. Whoever finds it controls everything: give the account one of its own.',
          }
        : undefined,
  },
  no_observability: {
    id: 'no_observability',
    scope: 'dashboard',
    severity: 'info',
    title: 'Observability is not enabled',
    action_link: '/wizards/observability',
    evaluate: ({ otel_enabled }) =>
      otel_enabled
        ? undefined
        : { why: 'No traces are exported. With OpenTelemetry on, slow and failing parts can be found from outside.' },
  },
} satisfies Record<string, Rule>;

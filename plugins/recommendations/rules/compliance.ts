import type { Rule } from '../rule.ts';

export const complianceRules = {
  no_scanners: {
    id: 'no_scanners',
    scope: 'compliance',
    severity: 'warn',
    title: 'No IaC scanners configured',
    action_link: '/wizards/compliance',
    evaluate: ({ job_templates, enabled_scanners }) =>
      job_templates > 0 && enabled_scanners === 0
        ? { why: 'Playbooks run without being looked at first. A scanner finds risky content before a launch starts.' }
        : undefined,
  },
  all_policies_warn: {
    id: 'all_policies_warn',
    scope: 'compliance',
    severity: 'info',
    title: 'No policy is enforced',
    action_link: '/policies',
    evaluate: ({ policies, enforced_policies }) =>
      policies > 0 && enforced_policies === 0
        ? { why: 'There are policies, but none of them can stop a launch. Enforce those that have proven themselves.' }
        : undefined,
  },
  no_drift: {
    id: 'no_drift',
    scope: 'compliance',
    severity: 'info',
    title: 'No drift data collected',
    action_link: '/drift',
    evaluate: ({ job_templates, drift_detections }) =>
      job_templates > 0 && drift_detections === 0
        ? {
            why: 'No change of a host has been recorded so far. Use the fact cache in job templates so that drift can be seen.',
          }
        : undefined,
  },
} satisfies Record<string, Rule>;

import type { Rule } from '../rule.ts';

/** Share of job templates with a survey below which there are few. */
const fewShare = 0.5;

export const selfServiceRules = {
  few_surveys: {
    id: 'few_surveys',
    scope: 'self_service',
    severity: 'info',
    title: 'Few templates use surveys',
    action_link: '/templates',
    evaluate: ({ job_templates, job_templates_with_survey }) =>
      job_templates > 0 && job_templates_with_survey / job_templates < fewShare
        ? {
            why: 'Fewer than half of the job templates ask their questions in a survey. Surveys make them usable by others than their authors.',
          }
        : undefined,
  },
  no_catalog_items: {
    id: 'no_catalog_items',
    scope: 'self_service',
    severity: 'info',
    title: 'Self-service catalog is empty',
    action_link: '/catalog',
    evaluate: ({ job_templates, catalog_items }) =>
      job_templates > 0 && catalog_items === 0
        ? { why: 'There are job templates, but nobody can order one. Offer the safe ones in the catalog.' }
        : undefined,
  },
} satisfies Record<string, Rule>;

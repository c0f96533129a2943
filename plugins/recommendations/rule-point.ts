import { point, z } from '@tapline/plugin-sdk';
import { type Rule, severities } from './rule.ts';
import { scopes } from './scopes.ts';

/** Where any plugin may put a rule of its own. */
export const recommendationRule = point<Rule>(
  'recommendation.rule',
  z.looseObject({
    id: z.string().min(1),
    scope: z.enum(scopes),
    severity: z.enum(severities),
    title: z.string().min(1),
    action_link: z.string().min(1),
    evaluate: z.custom<Rule['evaluate']>((value) => typeof value === 'function', 'must be a function'),
  }),
);

import type { Inputs } from './inputs.ts';
import type { Scope } from './scopes.ts';

/** Most severe first: the order of the answer. */
export const severities = ['critical', 'warn', 'info'] as const;
export type Severity = (typeof severities)[number];

/** What a rule says when it triggers. */
export interface Finding {
  /** one or two sentences for everybody */
  why: string;
  /** the same with an object named: told in place of `why`, the first one that the caller may see */
  named?: readonly { type: string; id: number; why: string }[];
}

/** What a plugin offers to the extension point `recommendation.rule` (rule-point.ts). */
export interface Rule {
  /** unique and stable */
  id: string;
  scope: Scope;
  severity: Severity;
  title: string;
  /** route of the client that the action opens */
  action_link: string;
  /** A pure function of the inputs; nothing when it does not trigger. One that throws is left out. */
  evaluate(inputs: Inputs): Finding | undefined | Promise<Finding | undefined>;
}

export interface Recommendation {
  id: string;
  scope: Scope;
  severity: Severity;
  title: string;
  why: string;
  action_link: string;
}

export const actionTypes = ['launch_job_template', 'launch_workflow', 'send_notification'] as const;
export type ActionType = (typeof actionTypes)[number];

export interface Condition {
  jinja2_expression: string;
  description: string;
}

export interface RuleAction {
  action_type: ActionType;
  target_id: number;
  extra_vars: Record<string, unknown>;
  description: string;
}

export interface Rule {
  id: number;
  name: string;
  organization_id: number;
  enabled: boolean;
  source_type: string;
  webhook_path: string;
  /** sealed */
  webhook_key: string;
  /** sealed; accepted until `former_key_until` */
  former_key: string;
  former_key_until: string | null;
  conditions: Condition[];
  actions: RuleAction[];
  /** whose rights its launches use */
  actions_by_id: number | null;
  throttle_seconds: number;
  group_by: string;
  duplicate_response: '' | 'reject' | 'ack';
  last_fired_at: string | null;
  fire_count: number;
  modified: string;
}

export const statuses = [
  'received',
  'matched',
  'unmatched',
  'throttled',
  'action_fired',
  'action_failed',
  'error',
  'signature_failed',
] as const;

export interface ConditionResult {
  expression: string;
  description: string;
  result: boolean;
  /** '' where there was none */
  error: string;
}

/** What became of one action, in the place that it has in the rule. */
export interface ActionResult {
  action_type: ActionType;
  target_id: number;
  description: string;
  status: 'launched' | 'sent' | 'failed';
  job: number | null;
  job_type: string | null;
  notification: number | null;
  error: string;
}

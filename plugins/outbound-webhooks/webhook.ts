export const events = [
  'job.started',
  'job.succeeded',
  'job.failed',
  'job.canceled',
  'workflow.started',
  'workflow.succeeded',
  'workflow.failed',
] as const;
export type WebhookEvent = (typeof events)[number];

export interface Webhook {
  id: number;
  name: string;
  organization_id: number;
  url: string;
  /** sealed, as the two below */
  webhook_key: string;
  former_key: string;
  former_key_until: string | null;
  events: WebhookEvent[];
  /** names, each with the mask in place of its value */
  custom_headers: Record<string, string>;
  /** sealed JSON of the headers with their values */
  header_values: string;
  enabled: boolean;
  ssl_verify: boolean;
  notification_template_id: number | null;
  failing_since: string | null;
  disabled_reason: string;
}

/** One try to deliver, as it is kept with its delivery. */
export interface Attempt {
  started: string;
  duration_ms: number;
  status_code: number | null;
  response_excerpt: string;
  error: string;
}

export interface Delivery {
  id: number;
  outbound_webhook_id: number;
  message_id: string;
  event: string;
  body: string;
  /** begun, this one included */
  attempt: number;
}

export const mask = '$encrypted$';

import type { NotificationKind } from '@tapline/plugin-sdk';
import { sendsBody, sendsMessage } from './registry.ts';

/** The two texts of one occasion, as templates; null: there is none, or the default one. */
export interface Texts {
  message: string | null;
  body: string | null;
}

export const runEvents = ['started', 'success', 'error'] as const;
export const approvalEvents = ['running', 'approved', 'timed_out', 'denied'] as const;

export type RunEvent = (typeof runEvents)[number];
export type ApprovalEvent = (typeof approvalEvents)[number];

export interface Messages extends Record<RunEvent, Texts> {
  workflow_approval: Record<ApprovalEvent, Texts>;
}

/** What there is where nothing is customised: its keys are those of `messages` (contract D3). */
export const noMessages: Readonly<Record<keyof Messages, null>> = {
  started: null,
  success: null,
  error: null,
  workflow_approval: null,
};

/** The other key of `messages` has the events of approvals below it. */
export const isRunEvent = (key: string): key is RunEvent => runEvents.includes(key as RunEvent);

const line = `{{ job_friendly_name }} #{{ job.id }} '{{ job.name }}' {{ job.status }}: {{ url }}`;
const mail = `{{ job_friendly_name }} #{{ job.id }} is {{ job.status }}, its details are at {{ url }}\n\n{{ job_metadata }}`;
/** What kinds of JSON say of runs. */
export const justMetadata = '{{ job_metadata }}';

const happened: Record<ApprovalEvent, string> = {
  running: 'needs review. It can be seen at: {{ workflow_url }}',
  approved: 'was approved. {{ workflow_url }}',
  timed_out: 'has timed out. {{ workflow_url }}',
  denied: 'was denied. {{ workflow_url }}',
};

const sentenceOf = (event: ApprovalEvent) => `The approval node "{{ approval_node_name }}" ${happened[event]}`;
/** Of a context message only where there is one. */
const context = '{% if context_message %}\n\n{{ context_message }}{% endif %}';

/** What a kind says where a template says nothing else (contract D3). */
export function defaultMessages(kind: NotificationKind): Messages {
  const json = kind.bodies === 'json';
  const text = { message: sendsMessage(kind) ? line : null, body: bodyOf(kind, mail) };
  const approval = (event: ApprovalEvent): Texts => {
    const sentence = sentenceOf(event);
    const more = event === 'running' ? context : '';
    const body = json
      ? `{"body": {{ (${jsonText(event)}) | tojson }}}`
      : sendsBody(kind)
        ? `${sentence}${more}\n\n{{ job_metadata }}`
        : null;
    return { message: sendsMessage(kind) ? sentence : null, body };
  };
  return {
    started: text,
    success: text,
    error: text,
    workflow_approval: Object.fromEntries(approvalEvents.map((event) => [event, approval(event)])) as never,
  };
}

/** The sentence as an expression: within JSON a quote of a name must not end the text. */
function jsonText(event: ApprovalEvent): string {
  const [before, after] = happened[event].split('{{ workflow_url }}');
  return `'The approval node "' ~ approval_node_name ~ '" ${before}' ~ workflow_url ~ '${after}'`;
}

function bodyOf(kind: NotificationKind, text: string): string | null {
  if (!sendsBody(kind)) return null;
  return (kind.bodies ?? 'text') === 'text' ? text : justMetadata;
}

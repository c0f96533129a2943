import type { Decoder } from './decoder.ts';
import { textAt } from './fields.ts';
import { sameText } from './signatures.ts';

/** Its events carry the key itself. */
export const scmB: Decoder = {
  source_type: 'webhook_scm_b',
  label: 'Source control B (GitLab)',
  isSigned({ header }, key) {
    const token = header('x-gitlab-token');
    return token !== undefined && sameText(token, key);
  },
  eventType: ({ header }, payload) => header('x-gitlab-event') || textAt(payload, 'object_kind', 'event_type', 'type'),
  // events that one event brings about share its UUID; the key is each one's own, and the same at every try
  eventGuid: ({ header }) => header('idempotency-key') || header('x-gitlab-event-uuid') || '',
};

import type { Decoder } from './decoder.ts';
import { textAt } from './fields.ts';
import { isHexSignature } from './signatures.ts';

/** The better signature counts where there is one, right or wrong. */
export const scmA: Decoder = {
  source_type: 'webhook_scm_a',
  label: 'Source control A (GitHub)',
  isSigned({ header, bytes }, key) {
    const better = header('x-hub-signature-256');
    return better === undefined
      ? isHexSignature(header('x-hub-signature'), 'sha1', bytes, key)
      : isHexSignature(better, 'sha256', bytes, key);
  },
  eventType: ({ header }, payload) => header('x-github-event') || textAt(payload, 'event_type', 'type', 'action'),
  eventGuid: ({ header }) => header('x-github-delivery') ?? '',
};

import type { Decoder, Delivery } from './decoder.ts';
import { textAt } from './fields.ts';
import { isHexSignature, isStandardSignature } from './signatures.ts';

/** `X-Svc-Signature`, or Standard Webhooks, which count where they are there since they tell an old request from a new one. */
const isSigned = (delivery: Delivery, key: string): boolean =>
  delivery.header('webhook-signature') === undefined
    ? isHexSignature(delivery.header('x-svc-signature'), 'sha256', delivery.bytes, key)
    : isStandardSignature(delivery, key);

const eventType = ({ header }: Delivery, payload: unknown): string =>
  header('x-svc-event') || textAt(payload, 'event_type', 'type', 'action', 'status');

const idOfRequest = ({ header }: Delivery): string =>
  header('webhook-id') || header('x-svc-delivery') || header('idempotency-key') || '';

const generic: Decoder = {
  source_type: 'webhook_generic',
  label: 'Any sender',
  isSigned,
  eventType,
  eventGuid: (delivery, payload) => idOfRequest(delivery) || textAt(payload, 'event_guid', 'id'),
};

/** An `id` of theirs names what is wrong, and not the message that tells of it. */
const monitoring = (source_type: string, label: string): Decoder => ({
  source_type,
  label,
  isSigned,
  eventType,
  eventGuid: (delivery, payload) => idOfRequest(delivery) || textAt(payload, 'event_guid'),
});

export const signedAlike: readonly Decoder[] = [
  generic,
  monitoring('alert_a', 'Alerting A'),
  monitoring('incident_a', 'Incidents A'),
  monitoring('monitor_a', 'Monitoring A'),
  monitoring('cloudmon_a', 'Cloud monitoring A'),
];

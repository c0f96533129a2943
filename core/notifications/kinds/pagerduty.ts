import type { NotificationKind } from '@tapline/plugin-sdk';
import { cutText } from '../../db/safe-text.ts';
import { asJson, postJson, told } from './http.ts';

const vendor = 'https://events.pagerduty.com';
const longestDescription = 1024;

/** An incident by the events API that service keys belong to: https://developer.pagerduty.com/docs/events-api-v1-overview */
export const pagerduty: NotificationKind = {
  kind: 'pagerduty',
  label: 'Pagerduty',
  bodies: 'data',
  recipients: 'service_key',
  fields: {
    subdomain: { label: 'Pagerduty subdomain', type: 'string' },
    token: { label: 'API Token', type: 'password' },
    service_key: { label: 'API Service/Integration Key', type: 'string' },
    client_name: { label: 'Client Identifier', type: 'string' },
    api_url: { label: 'API address', type: 'string', optional: true, help: 'Of another region of the service.' },
  },
  async send({ configuration, subject, body }, tools) {
    const { service_key: key, client_name: client, api_url: address } = configuration as Record<string, string>;
    const event = {
      service_key: key,
      event_type: 'trigger',
      // the same at every try, so that one incident comes of it
      ...(tools.id !== null && { incident_key: `notification-${tools.id}` }),
      description: cutText(subject, longestDescription),
      client,
      details: asJson(body),
    };
    const url = `${address || vendor}/generic/2010-04-15/create_event.json`;
    return { answer: told(await postJson(tools, url, event)) };
  },
};

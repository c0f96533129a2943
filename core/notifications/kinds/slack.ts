import { DeliveryError, type NotificationKind } from '@tapline/plugin-sdk';
import { jsonOf, postJson, toEach } from './http.ts';

const vendor = 'https://slack.com/api';

/** https://docs.slack.dev/reference/methods/chat.postMessage: what is wrong is told with a status of 200. */
export const slack: NotificationKind = {
  kind: 'slack',
  label: 'Slack',
  parts: 'message',
  recipients: 'channels',
  fields: {
    token: { label: 'Token', type: 'password' },
    channels: { label: 'Destination Channels', type: 'list' },
    hex_color: { label: 'Notification Color', type: 'string', optional: true },
    api_url: {
      label: 'API address',
      type: 'string',
      optional: true,
      help: 'Of a service that speaks the same language.',
    },
  },
  check: ({ hex_color: color }) =>
    color && !/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(String(color)) ? ['hex_color must be like #3af or #33aaff.'] : [],
  send({ configuration, subject }, tools) {
    const { token, hex_color: color, api_url: address } = configuration as Record<string, string>;
    const said = color ? { attachments: [{ color, text: subject }] } : { text: subject };
    return toEach(configuration['channels'] as string[], async (recipient) => {
      const [channel, thread] = recipient.split(',', 2).map((part) => part.trim());
      const body = { channel: channel?.replace(/^#/, ''), ...(thread && { thread_ts: thread }), ...said };
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json; charset=utf-8' };
      const answer = jsonOf(await postJson(tools, `${address || vendor}/chat.postMessage`, body, { headers }));
      if (answer['ok'] === true) return `ok ${String(answer['ts'] ?? '')}`;
      const why = String(answer['error'] ?? 'no reason');
      throw new DeliveryError(`It was refused: ${why}`, {
        final: why !== 'ratelimited' && why !== 'service_unavailable',
      });
    });
  },
};

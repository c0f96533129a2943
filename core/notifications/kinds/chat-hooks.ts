import type { NotificationField, NotificationKind } from '@tapline/plugin-sdk';
import { postJson, told } from './http.ts';

interface Hook {
  kind: string;
  label: string;
  /** keys of the message by the rest of the names of their fields: `mattermost_channel` → `channel` */
  extras: Readonly<Record<string, string>>;
  /** the field that says not to look at the certificate has to be sent */
  strict: boolean;
  message(subject: string): object;
}

const labels: Record<string, string> = { channel: 'Channel', username: 'Username', icon_url: 'Icon URL' };

/** A chat that takes messages at an address which is the key to it. */
function chatHook({ kind, label, extras, strict, message }: Hook): NotificationKind {
  const more = Object.keys(extras).map((name): [string, NotificationField] => [
    `${kind}_${name}`,
    { label: labels[name]!, type: 'string', optional: true },
  ]);
  return {
    kind,
    label,
    parts: 'message',
    recipients: `${kind}_url`,
    fields: {
      [`${kind}_url`]: { label: 'Target URL', type: 'string' },
      ...Object.fromEntries(more),
      [`${kind}_no_verify_ssl`]: {
        label: 'Disable SSL Verification',
        type: 'bool',
        ...(strict ? {} : { optional: true as const }),
      },
    },
    async send({ configuration, subject }, tools) {
      const given = Object.entries(extras).map(([name, key]) => [key, configuration[`${kind}_${name}`]] as const);
      const body = { ...message(subject), ...Object.fromEntries(given.filter(([, value]) => value)) };
      const verifyTls = !configuration[`${kind}_no_verify_ssl`];
      return { answer: told(await postJson(tools, String(configuration[`${kind}_url`]), body, { verifyTls })) };
    },
  };
}

export const mattermost = chatHook({
  kind: 'mattermost',
  label: 'Mattermost',
  extras: { channel: 'channel', username: 'username', icon_url: 'icon_url' },
  strict: true,
  message: (text) => ({ text }),
});

export const rocketchat = chatHook({
  kind: 'rocketchat',
  label: 'Rocket.Chat',
  extras: { username: 'username', icon_url: 'icon_url' },
  strict: true,
  message: (text) => ({ text }),
});

/** An adaptive card, as the workflow "post to a channel when a webhook request is received" takes it. */
export const msteams = chatHook({
  kind: 'msteams',
  label: 'Microsoft Teams',
  extras: {},
  strict: false,
  message: (text) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [{ type: 'TextBlock', text, wrap: true }],
        },
      },
    ],
  }),
});

import type { NotificationKind } from '@tapline/plugin-sdk';
import { cutText } from '../../db/safe-text.ts';
import { ask, assertTaken, toEach } from './http.ts';

const vendor = 'https://api.twilio.com';
const longest = 1600;

/** A text message to each number: https://www.twilio.com/docs/messaging/api/message-resource */
export const twilio: NotificationKind = {
  kind: 'twilio',
  label: 'Twilio',
  parts: 'message',
  recipients: 'to_numbers',
  fields: {
    account_sid: { label: 'Account SID', type: 'string' },
    account_token: { label: 'Account Token', type: 'password' },
    from_number: { label: 'Source Phone Number', type: 'string' },
    to_numbers: { label: 'Destination SMS Numbers', type: 'list' },
    api_url: { label: 'API address', type: 'string', optional: true, help: 'Of another region of the service.' },
  },
  send({ configuration, subject }, tools) {
    const { account_sid: sid, account_token: token, from_number: from, api_url: address } = configuration;
    const url = `${String(address || vendor)}/2010-04-01/Accounts/${encodeURIComponent(String(sid))}/Messages.json`;
    const headers = {
      authorization: `Basic ${Buffer.from(`${String(sid)}:${String(token)}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    };
    return toEach(configuration['to_numbers'] as string[], async (to) => {
      const body = new URLSearchParams({ From: String(from), To: to, Body: cutText(subject, longest) }).toString();
      const answer = await ask(tools, url, { headers, body });
      assertTaken(answer);
      return String(answer.status);
    });
  },
};

import { DeliveryError, type NotificationKind } from '@tapline/plugin-sdk';
import { type Answer, ask, asJson, assertTaken, told } from './http.ts';

const mostHops = 5;
const redirects = new Set([301, 307]);
const methods = ['POST', 'PUT'] as const;

/** JSON to any address; the whole of it can be customised. */
export const webhook: NotificationKind = {
  kind: 'webhook',
  label: 'Webhook',
  parts: 'body',
  bodies: 'json',
  recipients: 'url',
  fields: {
    url: { label: 'Target URL', type: 'string' },
    http_method: { label: 'HTTP Method', type: 'string', default: 'POST' },
    disable_ssl_verification: { label: 'Disable SSL Verification', type: 'bool', default: false },
    headers: { label: 'HTTP Headers', type: 'object' },
    username: { label: 'Username', type: 'string', default: '' },
    password: { label: 'Password', type: 'password', default: '' },
  },
  check({ http_method: method, headers }) {
    const problems = Object.entries(headers as object).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ? [] : [`headers: ${name} must be a text.`],
    );
    if (!methods.includes(String(method).toUpperCase() as 'POST'))
      problems.push(`http_method must be ${methods.join(' or ')}.`);
    return problems;
  },
  async send({ configuration, body }, tools) {
    const { headers, username, password } = configuration as Record<string, string>;
    const own = Object.entries(headers as unknown as object).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]);
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const request = {
      method: String(configuration['http_method']).toUpperCase() as 'POST' | 'PUT',
      verifyTls: !configuration['disable_ssl_verification'],
      body: JSON.stringify(asJson(body)),
    };
    const secret = { ...(username || password ? { authorization: `Basic ${basic}` } : {}), ...Object.fromEntries(own) };
    const json = { 'content-type': 'application/json' };
    let url = String(configuration['url']);
    const home = originOf(url);
    for (let hop = 0; ; hop += 1) {
      // what proves who sends it is for the address that was configured
      const shown = originOf(url) === home ? { ...json, ...secret } : json;
      // oxlint-disable-next-line no-await-in-loop
      const answer = await ask(tools, url, { ...request, headers: shown });
      if (!redirects.has(answer.status)) {
        assertTaken(answer);
        return { answer: told(answer) };
      }
      url = nextAddress(answer, url, hop);
    }
  },
};

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : '');

function nextAddress({ headers, status }: Answer, url: string, hop: number): string {
  const { location } = headers;
  if (hop >= mostHops) throw new DeliveryError(`It was sent on more than ${mostHops} times.`, { final: true });
  if (!location || !URL.canParse(location, url))
    throw new DeliveryError(`It was answered with ${status}, but not sent on to any address.`, { final: true });
  return new URL(location, url).href;
}

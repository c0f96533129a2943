import { DeliveryError, type HttpRequest, type NotificationTools } from '@tapline/plugin-sdk';
import { jsonOr } from '../json.ts';

const timeoutMs = 30_000;
const mostTold = 500;
const mostRead = 262_144;
/** Of the statuses 4xx those that may turn out otherwise later. */
const passing = new Set([408, 425, 429]);

export type Answer = Awaited<ReturnType<NotificationTools['http']['request']>>;

/** A request of a kind, whatever it is answered. */
export const ask = (tools: NotificationTools, url: string, request: HttpRequest): Promise<Answer> =>
  tools.http.request(url, { method: 'POST', timeoutMs, maxBytes: mostRead, ...request });

/** The begin of an answer, for the record. */
export const told = ({ status, body }: Answer): string =>
  `${status} ${body.subarray(0, mostTold).toString('utf8')}`.trim();

/** @throws DeliveryError for anything but success, final where asking again would not help */
export function assertTaken(answer: Answer): void {
  const { status } = answer;
  if (status >= 200 && status < 300) return;
  const final = status >= 300 && status < 500 && !passing.has(status);
  throw new DeliveryError(`It was answered with ${told(answer)}`, { final });
}

/** JSON to an address that takes it or does not. */
export async function postJson(
  tools: NotificationTools,
  url: string,
  body: unknown,
  more: HttpRequest = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...more.headers };
  const answer = await ask(tools, url, { ...more, headers, body: JSON.stringify(body) });
  assertTaken(answer);
  return answer;
}

/** The JSON of an answer. @throws DeliveryError where it is none */
export function jsonOf(answer: Answer): Record<string, unknown> {
  const value = jsonOr(answer.body.toString('utf8'), null);
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new DeliveryError(`What was answered is no JSON: ${told(answer)}`);
}

/** What a body is as JSON; a text that is none stays a text. */
export const asJson = (body: string): unknown => jsonOr(body, body);

/**
 * One message for each of several. Once one has it, nothing is tried again: that one would have it twice.
 * @throws DeliveryError naming who has not got it
 */
export async function toEach(
  recipients: readonly string[],
  send: (recipient: string) => Promise<string>,
): Promise<{ sent: number; answer: string }> {
  const answers: string[] = [];
  const failures: { recipient: string; error: Error }[] = [];
  for (const recipient of recipients)
    try {
      // in their order, and no faster than the receiver takes them
      // oxlint-disable-next-line no-await-in-loop
      answers.push(await send(recipient));
    } catch (error) {
      failures.push({ recipient, error: error as Error });
    }
  const [first] = failures;
  if (!first) return { sent: answers.length, answer: answers.join('\n') };
  const which = failures.map(({ recipient, error }) => `${recipient}: ${error.message}`).join('; ');
  const final = answers.length > 0 || failures.every(({ error }) => error instanceof DeliveryError && error.final);
  throw new DeliveryError(answers.length ? `${answers.length} of ${recipients.length} have it; ${which}` : which, {
    final,
    cause: first.error,
  });
}

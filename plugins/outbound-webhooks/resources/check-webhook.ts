import { type PluginApi, type Row, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import { keyProblem, newKey, openHeaders, sealHeaders } from '../keys.ts';
import { events, mask, type Webhook } from '../webhook.ts';
import { readHeaders } from './check-headers.ts';

/** Values of headers between the check of a write and the row that they are sealed for. */
const given = new WeakMap<object, Record<string, string>>();

export function checkWebhook(api: PluginApi, context: WriteContext): void {
  const { input, before } = context;
  const columns: Record<string, unknown> = input;
  if (typeof columns['url'] === 'string') checkUrl(columns['url']);
  if ('events' in columns) columns['events'] = readEvents(columns['events']);
  const key = columns['webhook_key'] as string | undefined;
  if (key) {
    const problem = key === mask ? undefined : keyProblem(key);
    if (problem) throw ValidationError.field('webhook_key', problem);
  } else if (before) delete columns['webhook_key'];
  else columns['webhook_key'] = newKey();
  if ('custom_headers' in columns) {
    const values = readHeaders(columns['custom_headers'], before ? openHeaders(api, before as unknown as Webhook) : {});
    given.set(context.call, values);
    columns['custom_headers'] = Object.fromEntries(Object.keys(values).map((name) => [name, mask]));
  }
  if (columns['enabled'] === true && before && !before['enabled'])
    Object.assign(columns, { failing_since: null, disabled_reason: '' });
}

/** What is sealed is bound to its row, which has its number only now. */
export async function storeHeaders(
  api: PluginApi,
  { trx, call }: WriteContext,
  { id }: Pick<Row, 'id'>,
): Promise<void> {
  const values = given.get(call);
  if (!values) return;
  given.delete(call);
  await trx(api.table('outbound_webhooks'))
    .where({ id })
    .update({ header_values: sealHeaders(api, id, values) });
}

function checkUrl(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw ValidationError.field('url', 'Enter an http or https address.');
  if (url.username || url.password)
    throw ValidationError.field('url', 'An address must not carry a user name or password: use custom_headers.');
}

function readEvents(value: unknown): unknown[] {
  const asked = Array.isArray(value) ? value : [];
  const unknown = asked.filter((event) => !events.includes(event));
  if (unknown.length)
    throw ValidationError.field(
      'events',
      `${JSON.stringify(unknown[0]).slice(0, 100)} is not a valid choice. There are: ${events.join(', ')}.`,
    );
  if (!asked.length) throw ValidationError.field('events', 'At least one event is needed.');
  return [...new Set(asked)];
}

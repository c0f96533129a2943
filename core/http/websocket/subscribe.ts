import { timingSafeEqual } from 'node:crypto';
import { type Audience, type Client, sendJson } from './client.ts';
import type { Gate } from './gate.ts';
import { readSeen, type Resume, type Seen } from './resume.ts';

const mostItems = 1000;
const denied = { error: 'access denied to channel' };

interface Deps {
  audience: Audience;
  gate: Gate;
  resume: Resume;
}

/** Handles one message of a client: `{ groups }` replaces everything it listened to, `{ resume }` says what it saw last. */
export async function subscribe({ audience, gate, resume }: Deps, client: Client, text: string): Promise<void> {
  const message = parse(text);
  if (!message) return sendJson(client, { error: 'a message must be a JSON object' });
  if (client.csrf !== null && !same(message.xrftoken, client.csrf)) return sendJson(client, denied);
  const { groups } = message;
  if (!isObject(groups) || !Object.values(groups).every(Array.isArray)) return sendJson(client, denied);
  const asked = Object.entries(groups as Record<string, unknown[]>).flatMap(([group, items]) =>
    items.map((item) => ({ group, item })),
  );
  if (asked.length > mostItems) return sendJson(client, { error: `at most ${mostItems} channels can be subscribed` });
  const seen = seenBy(client, message);
  if (seen === null) return;
  const wanted = new Set<string>();
  for (const { group, item } of asked) {
    const name = channelName(group, item);
    if (name === null || !(await gate(client.actor, group, item as string | number)))
      sendJson(client, refusal(group, item));
    else wanted.add(name);
  }
  const left = [...client.groups].filter((name) => !wanted.has(name));
  const joined = [...wanted].filter((name) => !client.groups.has(name));
  for (const name of left) audience.leave(client, name);
  for (const name of joined) audience.join(client, name);
  sendJson(client, { groups_current: [...wanted], groups_left: left, groups_joined: joined });
  if (seen) await resume(client, seen);
}

/** What the client saw last; undefined where it does not say, null where it was told that nobody understands it. */
function seenBy(client: Client, { resume }: Record<string, unknown>): Seen | undefined | null {
  if (resume === undefined || resume === null) return undefined;
  try {
    return readSeen(resume);
  } catch (error) {
    sendJson(client, { error: (error as Error).message });
    return null;
  }
}

/** Drops what the client may not see any more. */
export async function recheck(audience: Audience, gate: Gate, client: Client): Promise<void> {
  for (const name of client.groups) {
    const at = name.indexOf('-');
    const [group, item] = [name.slice(0, at), name.slice(at + 1)];
    if (await gate(client.actor, group, item)) continue;
    audience.leave(client, name);
    sendJson(client, refusal(group, item));
  }
}

const refusal = (group: string, item: unknown) => ({
  error: group.endsWith('_events')
    ? `access denied to channel ${group} for resource id ${shown(item)}`
    : `access denied to channel ${group}`,
});
const shown = (item: unknown) =>
  typeof item === 'string' || typeof item === 'number' ? String(item).slice(0, 100) : '';

/** A hyphen in the group's name would let one pass for another group's item. */
const channelName = (group: string, item: unknown): string | null =>
  (typeof item === 'string' || typeof item === 'number') &&
  String(item).length <= 100 &&
  group.length <= 100 &&
  !group.includes('-')
    ? `${group}-${item}`
    : null;

function parse(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function same(given: unknown, expected: string): boolean {
  const [a, b] = [Buffer.from(typeof given === 'string' ? given : ''), Buffer.from(expected)];
  return a.length === b.length && a.length > 0 && timingSafeEqual(a, b);
}

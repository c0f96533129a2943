import { type NotificationKind, saysWhatIsWrong, ValidationError } from '@tapline/plugin-sdk';
import type { Sandbox } from '../sandbox/sandbox.ts';
import {
  type ApprovalEvent,
  approvalEvents,
  isRunEvent,
  type Messages,
  noMessages,
  type Texts,
} from './default-messages.ts';
import { isReadable, stubFor } from './job-stub.ts';
import { jsonOr } from './json.ts';

type Given = Record<string, unknown>;
export type StoredMessages = Partial<Record<string, unknown>> | null;

/** Looking at them runs none of them; the process that does it may have to be started first. */
const patience = { timeoutMs: 10_000 };
const limits = { timeoutMs: 2000, maxOutput: 1_048_576 };
const mostMessages = 20;
const keys = ['message', 'body'] as const;

const isObject = (value: unknown): value is Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** One text of `messages`, and where it stands. */
interface Piece {
  where: string;
  key: 'message' | 'body';
  approval: boolean;
  template: string;
}

/** What was sent over what is stored: what is absent or null there keeps its text; null for all of it clears it. */
export function mergeMessages(sent: unknown, stored: StoredMessages): unknown {
  if (!isObject(sent)) return sent;
  const merged = mergeEvents({ ...noMessages, ...stored }, sent);
  const [was, is] = [approvalsOf(stored), approvalsOf(sent)];
  return isObject(is) ? { ...merged, workflow_approval: mergeEvents(isObject(was) ? was : {}, is) } : merged;
}

const approvalsOf = (messages: { workflow_approval?: unknown } | null) => messages?.workflow_approval;

const mergeEvents = (stored: Given, sent: Given): Given => ({
  ...stored,
  ...Object.fromEntries(Object.entries(sent).map(([event, value]) => [event, mergeTexts(stored[event], value)])),
});

function mergeTexts(stored: unknown, sent: unknown): unknown {
  if (sent == null) return stored ?? null;
  if (!isObject(sent) || !isObject(stored)) return sent;
  return { ...stored, ...Object.fromEntries(Object.entries(sent).filter(([, text]) => text !== null)) };
}

/**
 * Judges custom texts: their form, what they read, and whether they can be rendered at all, within limits, with made-up values.
 * @throws ValidationError on `messages`
 */
export async function checkMessages(
  sandbox: Pick<Sandbox, 'inspectEach' | 'renderEach'>,
  kind: NotificationKind,
  messages: unknown,
): Promise<void> {
  const { problems, pieces } = piecesOf(messages);
  if (!problems.length && pieces.length) problems.push(...(await judge(sandbox, kind, pieces)));
  if (problems.length) throw new ValidationError({ messages: problems.slice(0, mostMessages) });
}

function piecesOf(messages: unknown): { problems: string[]; pieces: Piece[] } {
  const problems: string[] = [];
  const pieces: Piece[] = [];
  const texts = (where: string, value: unknown, approval: boolean) => {
    if (value === null) return;
    if (!isObject(value)) return void problems.push(`Expected an object for '${where}'.`);
    for (const [key, template] of Object.entries(value)) {
      const at = `${where}.${key}`;
      if (!keys.includes(key as 'body')) problems.push(`'${at}' is not known: there are message and body.`);
      else if (template === null) continue;
      else if (typeof template !== 'string') problems.push(`Expected a string for '${at}'.`);
      else if (key === 'message' && /[\r\n]/.test(template)) problems.push(`'${at}' must be one line.`);
      else if (template) pieces.push({ where: at, key: key as 'body', approval, template });
    }
  };
  const events = (
    place: string,
    value: unknown,
    known: readonly string[],
    each: (name: string, one: unknown) => void,
  ) => {
    if (value === null) return;
    if (!isObject(value)) return void problems.push(`Expected an object for '${place}'.`);
    for (const [name, one] of Object.entries(value))
      if (known.includes(name)) each(name, one);
      else problems.push(`'${name}' of '${place}' is not known: there are ${known.join(', ')}.`);
  };
  events('messages', messages, Object.keys(noMessages), (event, value) =>
    isRunEvent(event)
      ? texts(event, value, false)
      : events(event, value, approvalEvents, (name, one) => texts(`${event}.${name}`, one, true)),
  );
  return { problems, pieces };
}

async function judge(
  sandbox: Pick<Sandbox, 'inspectEach' | 'renderEach'>,
  kind: NotificationKind,
  pieces: readonly Piece[],
): Promise<string[]> {
  const contexts = [stubFor(false), stubFor(true)];
  const templates = pieces.map(({ template, approval }) => ({ template, context: Number(approval) }));
  try {
    const inspected = await sandbox.inspectEach(
      templates.map(({ template }) => template),
      patience,
    );
    const problems = inspected.flatMap((answer, index) => {
      const { where, approval } = pieces[index]!;
      if ('error' in answer) return [`${where}: ${answer.error.message}`];
      const unknown = answer.value.reads.filter((path) => !isReadable(path, contexts[Number(approval)]!));
      return unknown.map((path) => `${where}: '${path}' is undefined`);
    });
    if (problems.length) return problems;
    const rendered = await sandbox.renderEach({ templates, contexts }, limits);
    return rendered.flatMap((answer, index) => {
      const { where, key } = pieces[index]!;
      if ('error' in answer) return [`${where}: ${answer.error.message}`];
      if (key === 'body' && kind.bodies === 'json' && jsonOr(answer.value, undefined) === undefined)
        return [`${where}: what it renders to is not JSON`];
      return [];
    });
  } catch (error) {
    if (!saysWhatIsWrong(error)) throw error;
    return [`The templates could not be judged: ${error.message}.`];
  }
}

/** The templates for an occasion: the custom ones, and the defaults where there are none. */
export function textsFor(
  { messages, defaults }: { messages: StoredMessages; defaults: Messages },
  event: string,
): Texts {
  // `approvals.denied`
  const [, approval] = event.split('.') as [string, ApprovalEvent?];
  const [usual, custom] = approval
    ? [defaults.workflow_approval[approval], (approvalsOf(messages) as Given | null | undefined)?.[approval]]
    : [defaults[event as 'started'], messages?.[event]];
  const own = isObject(custom) ? custom : {};
  return { message: (own['message'] as string) || usual.message, body: (own['body'] as string) || usual.body };
}

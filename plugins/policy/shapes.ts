import { safeText } from '@tapline/plugin-sdk';

/** What a policy's result says. */
export interface Verdict {
  decision: 'allow' | 'warn' | 'deny';
  deny: string[];
  warn: string[];
  /** false: its shape is none of those that are known, so it counts as allow */
  recognized: boolean;
}

const denying = ['deny', 'violation', 'violations'];
const warning = ['warn', 'warnings'];
const allowing = ['allow', 'allowed'];
const reasons = ['violations', 'reasons', 'messages', 'msg'];
const told = ['msg', 'message', 'reason'];

type Json = Record<string, unknown>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** '' stands for a hit without a message. */
function messageOf(item: unknown): string {
  if (typeof item === 'string') return item;
  if (item === true) return '';
  if (isObject(item)) {
    const text = told.map((key) => item[key]).find((value) => typeof value === 'string');
    return text === undefined ? JSON.stringify(item) : (text as string);
  }
  return JSON.stringify(item);
}

/** A list, a text, `true`, or a map whose keys are the messages. */
function messagesOf(value: unknown): string[] {
  if (value === undefined || value === null || value === false) return [];
  if (Array.isArray(value)) return value.filter((item) => item !== false && item !== null).map(messageOf);
  if (!isObject(value)) return [messageOf(value)];
  if (told.some((key) => typeof value[key] === 'string')) return [messageOf(value)];
  return Object.entries(value)
    .filter(([, held]) => held !== false && held !== null)
    .map(([key, held]) => (held === true ? key : messageOf(held)));
}

const collected = (result: Json, keys: readonly string[]) => keys.flatMap((key) => messagesOf(result[key]));

function ofObject(result: Json): Omit<Verdict, 'decision'> {
  const known = (keys: readonly string[]) => keys.some((key) => key in result);
  const decision = result['decision'];
  if (decision === 'allow' || decision === 'warn' || decision === 'deny') {
    const messages = messagesOf(result['messages'] ?? result['message']);
    const said = messages.length ? messages : [''];
    return { deny: decision === 'deny' ? said : [], warn: decision === 'warn' ? said : [], recognized: true };
  }
  const allowed = allowing.map((key) => result[key]).find((value) => typeof value === 'boolean');
  const deny = collected(result, denying);
  const warn = collected(result, warning);
  if (allowed === false) {
    const said = [
      ...deny,
      ...collected(
        result,
        reasons.filter((key) => !denying.includes(key)),
      ),
    ];
    return { deny: said.length ? said : [''], warn, recognized: true };
  }
  return { deny, warn, recognized: allowed !== undefined || known(denying) || known(warning) };
}

function read(result: unknown): Omit<Verdict, 'decision'> {
  if (typeof result === 'boolean') return { deny: result ? [] : [''], warn: [], recognized: true };
  if (Array.isArray(result)) return { deny: messagesOf(result), warn: [], recognized: true };
  if (isObject(result)) return ofObject(result);
  return { deny: [], warn: [], recognized: false };
}

const most = 100;
const longest = 1000;
const tidy = (messages: string[], otherwise: string) => [
  ...new Set(messages.slice(0, most).map((message) => safeText(message, longest) || otherwise)),
];

/** Deny beats warn beats allow. `name` stands in the message of a hit that brings none. */
export function readResult(result: unknown, name: string): Verdict {
  const found = read(result);
  const deny = tidy(found.deny, `Denied by policy ${name}.`);
  const warn = tidy(found.warn, `Warned by policy ${name}.`);
  const decision = deny.length ? 'deny' : warn.length ? 'warn' : 'allow';
  return { decision, deny, warn, recognized: found.recognized };
}

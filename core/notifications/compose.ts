import { type NotificationKind, saysWhatIsWrong } from '@tapline/plugin-sdk';
import { safeText } from '../db/safe-text.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { defaultMessages, justMetadata } from './default-messages.ts';
import { jsonOr } from './json.ts';
import { type StoredMessages, textsFor } from './messages.ts';
import { sendsBody, sendsMessage } from './registry.ts';

export interface Composed {
  subject: string;
  body: string;
}

const limits = { timeoutMs: 10_000, maxOutput: 1_048_576 };

interface Request {
  kind: NotificationKind;
  messages: StoredMessages;
  /** `started`, `approvals.running` … */
  event: string;
  context: Record<string, unknown>;
}

/** The texts of a notification. What is wrong with a template stands in its text: word of a run is sent whatever it looks like. */
export async function compose(sandbox: Pick<Sandbox, 'renderEach'>, request: Request): Promise<Composed> {
  const { kind, messages, event, context } = request;
  const { message, body } = textsFor({ messages, defaults: defaultMessages(kind) }, event);
  const wanted = [sendsMessage(kind) ? (message ?? '') : '', sendsBody(kind) ? (body ?? '') : ''];
  const rendered = await renderAll(sandbox, wanted, context);
  const [subject, text] = wanted.map((template, index) => (template ? rendered[index]! : nothing)) as [Shown, Shown];
  return { subject: onOneLine(subject.text), body: kind.bodies === 'json' ? jsonBody(text) : safeText(text.text) };
}

interface Shown {
  text: string;
  /** it is no text of the template, but says what is wrong with it */
  notice?: true;
}

const nothing: Shown = { text: '' };
const notice = (text: string): Shown => ({ text, notice: true });
const said = (why: string) => notice(`The template of this notification could not be rendered: ${why}`);

async function renderAll(
  sandbox: Pick<Sandbox, 'renderEach'>,
  templates: readonly string[],
  context: Record<string, unknown>,
): Promise<Shown[]> {
  // it takes no sandbox to say that
  if (templates.every((template) => !template || template === justMetadata))
    return templates.map(() => ({ text: String(context['job_metadata']) }));
  try {
    const batch = { templates: templates.map((template) => ({ template, context: 0 })), contexts: [context] };
    const tried = await sandbox.renderEach(batch, limits);
    return tried.map((one) => {
      if ('error' in one) return said(one.error.message);
      const text = one.value.trim();
      return text ? { text } : notice('The template of this notification rendered to nothing.');
    });
  } catch (error) {
    if (!saysWhatIsWrong(error)) throw error;
    return templates.map(() => said(error.message));
  }
}

const onOneLine = (text: string) =>
  safeText(text)
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ');

/** What is no JSON becomes `{}` or, where somebody is told something, an object that tells it. */
const jsonBody = ({ text, notice: told }: Shown): string =>
  text && JSON.stringify(jsonOr(text, told ? { body: text } : {}));

/** Plain texts, of tests and of plugins: as they are, but for kinds that send JSON. */
export function plainTexts(kind: NotificationKind, subject: string, body: string): Composed {
  const text = safeText(body || subject);
  const line = onOneLine(subject);
  if (!sendsBody(kind)) return { subject: line || text, body: '' };
  const shown = sendsMessage(kind) ? line : '';
  return { subject: shown, body: kind.bodies === 'json' ? JSON.stringify(jsonOr(text, { body: text })) : text };
}

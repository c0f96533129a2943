import { createHash } from 'node:crypto';
import { type PluginApi, SandboxError } from '@tapline/plugin-sdk';
import type { Occurrence } from './conditions.ts';

const longest = 200;

/** What `group_by` says of an event, as the text that its interval goes by; null: what it names is not there, so they are one group. */
export async function groupValue(
  { sandbox }: Pick<PluginApi, 'sandbox'>,
  expression: string,
  { event, headers }: Occurrence,
): Promise<string | null> {
  try {
    const text = JSON.stringify(await sandbox.evaluate(expression, { event, headers })) ?? 'null';
    return text.length > longest ? createHash('sha256').update(text).digest('hex') : text;
  } catch (error) {
    if (error instanceof SandboxError && error.kind === 'undefined') return null;
    throw error;
  }
}

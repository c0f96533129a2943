import type { Denial } from '@tapline/plugin-sdk';

const largestBody = 65_536;

export type Decision = { denial: Denial | undefined } | { nonsense: string };

/**
 * What a tap's answer means. Whatever is neither nothing nor a proper denial is the tap's failure: it would
 * be as wrong to read `true` as "go on" as to send status 200 with a refusal. Reading may run code of the
 * plugin (getters, proxies, `toJSON`), so nothing here trusts it.
 */
export function readDecision(answer: unknown): Decision {
  try {
    return decide(answer);
  } catch (error) {
    return { nonsense: `an answer that cannot be read: ${describe(error)}` };
  }
}

function decide(answer: unknown): Decision {
  if (answer === undefined || answer === null) return { denial: undefined };
  if (typeof answer !== 'object') return { nonsense: `a ${typeof answer} where nothing or a denial was expected` };
  const { status, body } = answer as { status: unknown; body: unknown };
  if (!isRefusal(status))
    return { nonsense: `a denial with status ${describe(status)}; it must be 400 to 499, or 503` };
  const text = typeof body === 'object' && body !== null ? JSON.stringify(body) : undefined;
  if (text === undefined) return { nonsense: 'a denial without a body; it must be an object' };
  if (text.length > largestBody) return { nonsense: `a denial of ${text.length} characters; 65,536 is the limit` };
  const plain: unknown = JSON.parse(text);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain))
    return { nonsense: 'a denial whose body is no object' };
  return { denial: { status, body: plain as Record<string, unknown> } };
}

const isRefusal = (status: unknown): status is number =>
  Number.isInteger(status) && (((status as number) >= 400 && (status as number) < 500) || status === 503);

function describe(value: unknown): string {
  try {
    return String((value as Error)?.message ?? value).slice(0, 200);
  } catch {
    return 'something without a text';
  }
}

import { ApiError, type Denial } from '@tapline/plugin-sdk';
import { readHeaders } from './denial-headers.ts';
import type { Guarded } from './guard.ts';

const largestBody = 65_536;

/** `leftOut`: headers that a proper denial has and must not have. */
export type Decision = { denial: Denial | undefined; leftOut?: string } | { nonsense: string };

/**
 * What a tap's answer means, or the ApiError that it threw: that is its denial. Whatever is neither nothing nor a
 * proper denial is the tap's failure: it would be as wrong to read `true` as "go on" as to send status 200 with a
 * refusal. Reading may run code of the plugin (getters, proxies, `toJSON`), so nothing here trusts it.
 * @returns undefined where there is no answer: the call failed
 */
export function readDecision({ value, record }: Guarded<unknown>): Decision | undefined {
  try {
    if (record.result === 'ok') return decide(value);
    if (record.result !== 'threw' || !(record.error instanceof ApiError)) return undefined;
    const refusal = decide(record.error);
    return 'denial' in refusal ? refusal : undefined;
  } catch (error) {
    return record.result === 'ok' ? { nonsense: `an answer that cannot be read: ${describe(error)}` } : undefined;
  }
}

function decide(answer: unknown): Decision {
  if (answer === undefined || answer === null) return { denial: undefined };
  if (typeof answer !== 'object') return { nonsense: `a ${typeof answer} where nothing or a denial was expected` };
  const { status, body, headers: given, until } = answer as Record<'status' | 'body' | 'headers' | 'until', unknown>;
  if (!isRefusal(status))
    return { nonsense: `a denial with status ${describe(status)}; it must be 400 to 499, or 503` };
  const text = typeof body === 'object' && body !== null ? JSON.stringify(body) : undefined;
  if (text === undefined) return { nonsense: 'a denial without a body; it must be an object' };
  if (text.length > largestBody) return { nonsense: `a denial of ${text.length} characters; 65,536 is the limit` };
  const plain: unknown = JSON.parse(text);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain))
    return { nonsense: 'a denial whose body is no object' };
  const odd = oddPart(body, 'body');
  if (odd) return { nonsense: `a denial whose body is not plain JSON: ${odd}` };
  if (until !== undefined && !isInstant(until))
    return { nonsense: `a denial until ${describe(until)}; it must be a time in ISO 8601` };
  const { headers, leftOut } = readHeaders(given);
  return {
    denial: {
      status,
      body: plain as Record<string, unknown>,
      ...(Object.keys(headers).length ? { headers } : {}),
      ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
    },
    ...(leftOut.length ? { leftOut: leftOut.join('; ') } : {}),
  };
}

const isRefusal = (status: unknown): status is number =>
  Number.isInteger(status) && (((status as number) >= 400 && (status as number) < 500) || status === 503);

const isInstant = (until: unknown): until is string =>
  typeof until === 'string' && /^\d{4}-\d\d-\d\dT/.test(until) && !Number.isNaN(Date.parse(until));

/** The first part that JSON has no form for, which would be sent as something else. A property without a value is none. */
function oddPart(value: unknown, path: string): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return undefined;
  if (typeof value !== 'object') return `${path} is ${typeof value === 'number' ? value : `a ${typeof value}`}`;
  if (Array.isArray(value)) return first(value.map((item, index) => oddPart(item, `${path}[${index}]`)));
  const prototype: object | null = Object.getPrototypeOf(value);
  // a plain object's prototype is the last one, also that of another realm
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return `${path} is a ${prototype.constructor?.name}`;
  const present = Object.entries(value).filter(([, item]) => item !== undefined);
  return first(present.map(([key, item]) => oddPart(item, `${path}.${key}`)));
}

const first = (problems: (string | undefined)[]): string | undefined => problems.find((one) => one !== undefined);

function describe(value: unknown): string {
  try {
    return String((value as Error)?.message ?? value).slice(0, 200);
  } catch {
    return 'something without a text';
  }
}

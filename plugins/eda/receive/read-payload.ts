import { ApiError } from '@tapline/plugin-sdk';

const deepest = 100;
const bad = (why: string) => new ApiError(400, `JSON parse error - ${why}`);

/** As it came, for the record, and what it says. */
export interface Payload {
  text: string;
  value: object;
}

const isType = (given: string | undefined, type: string) =>
  given?.split(';', 1)[0]!.trim().toLowerCase() === type || false;

/** JSON, or a form that has it in `payload`. @throws ApiError 415, 400 */
export function readPayload(contentType: string | undefined, bytes: Buffer): Payload {
  const isForm = isType(contentType, 'application/x-www-form-urlencoded');
  if (!isForm && !isType(contentType, 'application/json') && !/^application\/[\w.-]+\+json\b/i.test(contentType ?? ''))
    throw new ApiError(415, `Unsupported media type "${(contentType ?? '').slice(0, 100)}" in request.`);
  const body = decoded(bytes);
  const text = isForm ? new URLSearchParams(body).get('payload') : body;
  if (text === null) throw bad('the form has no field payload');
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw bad('neither an object nor a list');
  assertShallow(value);
  return { text, value };
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad('the body is no UTF-8');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad((error as Error).message.slice(0, 200));
  }
}

/** Level by level: this is what protects whatever walks it by recursion. */
function assertShallow(value: object): void {
  let level: unknown[] = [value];
  for (let depth = 1; level.length; depth++) {
    if (depth > deepest) throw bad(`nested deeper than ${deepest} levels`);
    level = level.flatMap((item) =>
      Object.values(item as object).filter((inner) => typeof inner === 'object' && inner !== null),
    );
  }
}

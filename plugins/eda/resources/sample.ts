import { field } from '@tapline/plugin-sdk';
import type { Occurrence } from '../evaluate/conditions.ts';

/** An event that never came in, in a body. */
export const sample = {
  // as the receiver takes it
  payload: field.json({ required: true, orList: true }),
  headers: field.json(),
};

export function occurrenceOf(body: Readonly<Record<string, unknown>>): Occurrence {
  const headers = Object.entries((body['headers'] ?? {}) as object);
  return {
    event: body['payload'],
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
  };
}

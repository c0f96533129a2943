import { ValidationError } from '@tapline/plugin-sdk';
import { mask } from '../webhook.ts';

const most = 20;
const longest = 4096;
const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What the request says of itself, and what belongs to the connection. */
const ours =
  /^(webhook-.*|x-svc-.*|content-.*|host|user-agent|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*|http2-settings)$/i;

/**
 * Custom headers with their values; the mask stands for the value that is there.
 * @throws ValidationError naming the header
 */
export function readHeaders(given: unknown, before: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries((given ?? {}) as object);
  if (entries.length > most) refuse(`More than ${most} are not supported.`);
  const names = new Set<string>();
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => {
      const shown = JSON.stringify(name.slice(0, 100));
      if (!token.test(name)) refuse(`${shown} is no name of a header.`);
      if (ours.test(name)) refuse(`${shown} is set by the service and cannot be overridden.`);
      if (names.has(name.toLowerCase())) refuse(`${shown} is there twice.`);
      names.add(name.toLowerCase());
      const plain = value === mask ? before[name] : value;
      if (plain === undefined) refuse(`${shown}: there is no value that ${mask} could stand for.`);
      // what a header can carry: visible characters of Latin-1, blanks and tabs
      if (typeof plain !== 'string' || plain.length > longest || !/^[\t\x20-\x7e\x80-\xff]*$/.test(plain))
        return refuse(`${shown}: a text of at most ${longest} characters without line breaks is expected.`);
      // RFC 9110, 5.5: they would be taken away, or make it another value
      if (/^[\t ]|[\t ]$/.test(plain)) refuse(`${shown}: its value must not begin or end with a blank.`);
      return [name, plain];
    }),
  );
}

function refuse(problem: string): never {
  throw ValidationError.field('custom_headers', problem);
}

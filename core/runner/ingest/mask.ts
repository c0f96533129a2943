import { masked as mask } from '../../secrets/masked.ts';
import { isRawNumber } from './exact-json.ts';

/** Shorter ones would black out ordinary words and numbers and so tell more than they hide. */
const shortest = 4;

export interface Masker {
  /** May the JSON text hold a secret, in whatever escaping? Never a false no. */
  inJson(json: string): boolean;
  text(text: string): string;
  /** A parsed JSON value; keys in `keep` are the event's own vocabulary and stay. */
  value(value: unknown, keep?: ReadonlySet<string>): unknown;
  /** The nearest place at or before `at` that does not cut a secret in two. */
  cutBefore(text: string, at: number): number;
  /** Length of the longest thing looked for. */
  readonly reach: number;
}

/** Compiles every secret, in every form in which output may repeat it, into one matcher. */
export function createMasker(secrets: readonly string[]): Masker {
  const forms = new Set(secrets.flatMap(pieces).flatMap(writtenForms));
  if (!forms.size) return { inJson: () => false, text: (t) => t, value: (v) => v, cutBefore: (_t, at) => at, reach: 0 };
  const inText = compile(forms);
  const inJson = compile(new Set([...forms].flatMap((form) => [escapeJson(form), escapeJsonAscii(form)])));
  const reach = Math.max(...[...forms].map((form) => form.length));
  const hides = (text: string) => text.replace(inText, mask);
  return {
    inJson: (json) => json.search(inJson) !== -1,
    text: hides,
    value: (value, keep) => maskValue(value, hides, forms, keep),
    cutBefore(text, at) {
      for (const { index, 0: found } of text.matchAll(inText)) {
        if (index >= at) break;
        if (index + found.length > at) return index;
      }
      return at;
    },
    reach,
  };
}

/** A secret of several lines (a key) is also looked for line by line: output may indent or wrap it. */
function pieces(secret: string): string[] {
  const whole = secret.trim();
  const lines = whole.includes('\n')
    ? whole
        .split(/\r?\n/)
        .map((line) => line.trim())
        .filter(isTelling)
    : [];
  return [secret, whole, ...lines].filter((piece) => piece.length >= shortest);
}

/** Fences of a key file are public, and a line of punctuation says nothing. */
const isTelling = (line: string) =>
  !line.startsWith('-----') && (line.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= shortest;

/** As it is, inside JSON (also JSON inside JSON), in a URL, and in quotes of Python and the shell. */
function writtenForms(secret: string): string[] {
  const json = escapeJson(secret);
  const url = secret.isWellFormed() ? encodeURIComponent(secret) : secret;
  return [
    secret,
    json,
    escapeJson(json),
    escapeJsonAscii(secret),
    escapeJson(escapeJsonAscii(secret)),
    url,
    secret.replaceAll("'", "\\'"),
    secret.replaceAll("'", `'"'"'`),
  ];
}

const escapeJson = (text: string) => JSON.stringify(text).slice(1, -1);
const escapeJsonAscii = (text: string) =>
  escapeJson(text).replace(/[\x7f-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);

function compile(forms: ReadonlySet<string>): RegExp {
  // longest first: of two secrets where one begins with the other the whole longer one has to go
  const sorted = [...forms].toSorted((a, b) => b.length - a.length);
  return new RegExp(sorted.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

function maskValue(
  value: unknown,
  hides: (text: string) => string,
  forms: ReadonlySet<string>,
  keep?: ReadonlySet<string>,
): unknown {
  if (typeof value === 'string') return hides(value);
  if (typeof value === 'number') return forms.has(String(value)) ? mask : value;
  if (isRawNumber(value)) return forms.has(value.rawJSON) ? mask : value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, hides, forms));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    keep?.has(key) ? key : hides(key),
    maskValue(item, hides, forms),
  ]);
  return Object.fromEntries(entries);
}

/** `https://user:password@host` in the output of source control, whoever the password belongs to. */
export const maskUrls = (text: string): string =>
  text.includes('://') ? text.replace(/(:\/\/)[^\s/@:"\\]*(?::[^\s/@"\\]*)?@/g, `$1${mask}@`) : text;

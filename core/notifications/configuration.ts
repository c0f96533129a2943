import { type NotificationField, type NotificationKind, ValidationError } from '@tapline/plugin-sdk';
import { type Cell, isCiphertext, type KeyRing } from '../secrets/key-ring.ts';
import { masked } from '../secrets/masked.ts';
import { notificationSecretCell } from '../secrets/cells.ts';

export type Configuration = Record<string, unknown>;

/** What a client may see. The form of the value decides, so a secret stays masked whatever its kind says by now. */
export const maskConfiguration = (stored: Configuration | null): Configuration =>
  mapValues(stored ?? {}, (value) => (isCiphertext(value) ? masked : value));

export const openConfiguration = (keyRing: KeyRing, id: number, stored: Configuration): Configuration =>
  mapValues(stored, (value, name) =>
    isCiphertext(value) ? keyRing.decrypt(value, notificationSecretCell(id, name)) : value,
  );

/** The same for another row, to which its secrets are bound then. @throws Error where one of them cannot be read */
export const resealConfiguration = (
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>,
  stored: Configuration,
  { from, to }: { from: number; to: number },
): Configuration =>
  mapValues(stored, (value, name) =>
    isCiphertext(value)
      ? keyRing.encrypt(keyRing.decrypt(value, notificationSecretCell(from, name)), notificationSecretCell(to, name))
      : value,
  );

/** Every secret encrypted for this row; '' stays as it is, and so does what is sealed already. */
export function sealConfiguration(
  keyRing: Pick<KeyRing, 'encrypt'>,
  { fields = {} }: NotificationKind,
  id: number,
  plain: Configuration,
): Configuration {
  const cell = (name: string): Cell => notificationSecretCell(id, name);
  return mapValues(plain, (value, name) =>
    fields[name]?.type === 'password' && value !== '' && !isCiphertext(value)
      ? keyRing.encrypt(String(value), cell(name))
      : value,
  );
}

/** Texts that must come out nowhere: secrets, and what headers carry. */
export function secretTexts({ fields = {} }: NotificationKind, plain: Configuration): string[] {
  const secrets = Object.entries(plain).flatMap(([name, value]) => {
    if (fields[name]?.type === 'password') return [String(value)];
    return fields[name]?.type === 'object' ? Object.values(value as object).map(String) : [];
  });
  const [user, password] = [plain['username'], plain['password']].map((value) => String(value ?? ''));
  const basic = password ? [Buffer.from(`${user}:${password}`).toString('base64')] : [];
  const shortest = 4;
  return [...secrets, ...basic].filter((text) => text.length >= shortest).toSorted((a, b) => b.length - a.length);
}

const mapValues = (object: Configuration, change: (value: unknown, name: string) => unknown): Configuration =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

/** What `$encrypted$` stands for: the configuration as it is stored, and what opens a secret of it. */
export interface Kept {
  stored: Configuration;
  open(sealed: string, name: string): string;
}

/**
 * A configuration as its kind wants it: types are strict, defaults are filled in, unknown keys stay.
 * @throws ValidationError with all that is wrong under `__all__`
 */
export function checkConfiguration({ fields = {}, check }: NotificationKind, sent: Configuration, kept: Kept) {
  const problems: string[] = [];
  const filled: Configuration = { ...sent };
  const missing: string[] = [];
  for (const name of Object.keys(sent).filter((key) => !fields[key]))
    // of a kind that had the key as a secret
    if (sent[name] === masked && isCiphertext(kept.stored[name])) filled[name] = kept.stored[name];
    else problems.push(...formProblems(name, sent[name]));
  for (const [name, field] of Object.entries(fields)) {
    if (filled[name] === undefined && field.default !== undefined) filled[name] = field.default;
    if (filled[name] === undefined || (field.optional && filled[name] === null)) {
      delete filled[name];
      if (!field.optional) missing.push(name);
    } else if (field.type === 'password' && filled[name] === masked) {
      const value = keptValue(kept, name);
      if ('problem' in value) problems.push(`${name}: "${masked}" stands for a stored value, ${value.problem}`);
      else filled[name] = value.plain;
    } else problems.push(...typeProblems(name, field, filled[name]));
  }
  if (missing.length)
    problems.unshift(`Missing required fields for Notification Configuration: ${missing.join(', ')}.`);
  if (!problems.length) problems.push(...(check?.(filled) ?? []));
  if (problems.length) throw new ValidationError({ __all__: problems });
  return filled;
}

function keptValue({ stored, open }: Kept, name: string): { plain: unknown } | { problem: string } {
  const value = stored[name];
  if (value === undefined) return { problem: 'and there is none.' };
  try {
    return { plain: isCiphertext(value) ? open(value, name) : value };
  } catch {
    return { problem: 'which cannot be read any more: send it again.' };
  }
}

const words: Record<NotificationField['type'], string> = {
  string: 'a string',
  password: 'a string',
  int: 'an integer',
  bool: 'true or false',
  list: 'a list of strings',
  object: 'an object',
};

const isOf: Record<NotificationField['type'], (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  password: (value) => typeof value === 'string',
  int: (value) => Number.isSafeInteger(value),
  bool: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function typeProblems(name: string, { type, optional }: NotificationField, value: unknown): string[] {
  // identifiers of dashboards and panels are sent as either
  if (optional && type === 'string' && Number.isSafeInteger(value)) return [];
  if (!isOf[type](value)) return [`Configuration field '${name}' must be ${words[type]}.`];
  if (type === 'list' && !optional && !(value as unknown[]).length)
    return [`Configuration field '${name}' must not be empty.`];
  return formProblems(name, value);
}

/** It would be taken for a secret of this row. */
const formProblems = (name: string, value: unknown): string[] =>
  isCiphertext(value) ? [`Configuration field '${name}' cannot be stored: it has the form of an encrypted value.`] : [];

/** To whom it goes, as text: a list is printed as one. */
export function recipientsOf({ recipients }: NotificationKind, configuration: Configuration): string {
  const value = recipients ? configuration[recipients] : undefined;
  if (Array.isArray(value)) return `[${value.map((one) => `'${String(one)}'`).join(', ')}]`;
  return isCiphertext(value) ? masked : String(value ?? '');
}

import { ValidationError } from '@tapline/plugin-sdk';
import { isCiphertext } from '../secrets/key-ring.ts';
import { type InputField, type InputSchema, type Inputs, ask, emptyValue } from './input-schema.ts';
import { masked } from '../secrets/masked.ts';
import { passphraseFits, readPrivateKey } from './private-key.ts';

/** in characters, of any one input */
export const maxLength = 100_000;

interface CheckInputs {
  schema: InputSchema;
  sent: Record<string, unknown>;
  /** the decrypted inputs before the change; null on create */
  stored: Inputs | null;
  /** inputs that are looked up elsewhere: nothing is known of them */
  linked?: readonly string[];
}

type Errors = Record<string, string[]>;

/** A value or the complaint about it; complaints never quote the value. */
export function checkValue(field: InputField, value: unknown): { value: string | boolean } | { error: string } {
  if (value === null) return { value: emptyValue(field) };
  if (field.type === 'boolean') return typeof value === 'boolean' ? { value } : { error: 'must be true or false' };
  if (typeof value !== 'string') return { error: 'must be a string' };
  if (value.length > maxLength) return { error: `is longer than ${maxLength} characters` };
  if (value.includes('\0') || !value.isWellFormed()) return { error: 'holds characters that are not allowed' };
  if (value === ask && !field.ask_at_runtime)
    return { error: `cannot be ${ask}: this input is never asked for at launch` };
  if (value === '') return { value };
  if (field.choices && !field.choices.includes(value)) return { error: `must be one of: ${field.choices.join(', ')}` };
  if (!field.secret && isCiphertext(value)) return { error: 'has a form that is reserved' };
  return checkFormat(field, value);
}

function checkFormat(field: InputField, value: string): { value: string } | { error: string } {
  if (field.format === 'vault_id' && value.includes('@')) return { error: 'must not contain @' };
  if (field.format === 'url' && !URL.canParse(value)) return { error: 'is not a URL' };
  if (field.format !== 'ssh_private_key' || value === ask) return { value };
  const text = value.trim().replaceAll('\r\n', '\n');
  try {
    readPrivateKey(text);
    return { value: text };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

/** The passphrase of the key beside it: needed, right, and not there for nothing. */
async function checkPassphrase(values: Inputs): Promise<string | null> {
  const { ssh_key_data: data, ssh_key_unlock: unlock } = values;
  if (typeof data !== 'string' || !data || data === ask) return null;
  const key = readPrivateKey(data);
  if (!key.encrypted) return unlock ? 'should not be set when SSH key is not encrypted' : null;
  if (typeof unlock !== 'string' || !unlock) return 'must be set when SSH key is encrypted';
  if (unlock === ask) return null;
  return (await passphraseFits(key, unlock)) === false ? 'does not unlock the SSH key' : null;
}

function checkTogether(schema: InputSchema, values: Inputs, stored: Inputs | null): Errors {
  const errors: Errors = {};
  for (const [id, needed] of Object.entries(schema.dependencies ?? {})) {
    const missing = needed.filter((other) => !values[other]);
    if (values[id] && missing.length) errors[id] = [`needs ${missing.join(', ')} to be set`];
  }
  const vaultId = schema.fields?.find((field) => field.format === 'vault_id')?.id;
  if (vaultId && stored && (values[vaultId] ?? '') !== (stored[vaultId] ?? ''))
    errors[vaultId] = ['cannot be changed after the credential was created'];
  return errors;
}

/**
 * The inputs to store, in plain, from those a client sent (contract §10.1). They replace the stored
 * ones as a whole; only `$encrypted$` in a secret input keeps what is there.
 */
export async function checkInputs({ schema, sent, stored, linked = [] }: CheckInputs): Promise<Inputs> {
  const fields = new Map((schema.fields ?? []).map((field) => [field.id, field]));
  const unknown = Object.keys(sent).filter((id) => !fields.has(id));
  if (unknown.length)
    throw new ValidationError({
      inputs: [
        `Unknown input for this credential type: ${unknown
          .slice(0, 10)
          .map((id) => JSON.stringify(id.slice(0, 100)))
          .join(', ')}`,
      ],
    });

  const errors: Errors = {};
  const values: Inputs = {};
  for (const [id, given] of Object.entries(sent)) {
    const field = fields.get(id)!;
    if (field.secret && given === masked) {
      if (stored?.[id] === undefined) errors[id] = [`${masked} is reserved: there is no stored value to keep`];
      else values[id] = stored[id];
      continue;
    }
    const checked = checkValue(field, given);
    if ('error' in checked) errors[id] = [checked.error];
    else values[id] = checked.value;
  }
  Object.assign(errors, checkTogether(schema, values, stored));
  const pair = ['ssh_key_data', 'ssh_key_unlock'];
  if (!errors.ssh_key_data && fields.has('ssh_key_unlock') && !pair.some((id) => linked.includes(id))) {
    const error = await checkPassphrase(values);
    if (error) errors.ssh_key_unlock = [error];
  }
  if (Object.keys(errors).length) throw new ValidationError({ inputs: errors });
  return values;
}

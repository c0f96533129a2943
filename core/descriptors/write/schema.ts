import type { Field, FieldErrors } from '@tapline/plugin-sdk';
import { checkValue, checkVariables, defaultOf, type Longest } from './field-values.ts';
import { isStored, keyOf, type Model, type ModelField } from '../model.ts';

export type WriteMode = 'create' | 'replace' | 'patch';

export interface ValidatedInput {
  /** by column; virtual fields by their own name */
  input: Record<string, unknown>;
  errors: FieldErrors;
  /** the writable fields that the client sent */
  sent: Set<string>;
}

/**
 * Checks a body field by field. Unknown and read-only keys are ignored, as old clients send them. Long texts take
 * their time, so it comes before the write's transaction.
 */
export async function validateBody(
  { fields }: Pick<Model, 'fields'>,
  body: Record<string, unknown>,
  mode: WriteMode,
  longest?: Longest,
): Promise<ValidatedInput> {
  const result: ValidatedInput = { input: {}, errors: {}, sent: new Set() };
  for (const bound of fields.values()) {
    if (!isWritable(bound, mode)) continue;
    const { name, field } = bound;
    if (Object.hasOwn(body, name)) {
      result.sent.add(name);
      // one or two fields of a resource
      // oxlint-disable-next-line no-await-in-loop
      const checked =
        field.type === 'jsonText'
          ? await checkVariables(field, body[name], longest?.('MAX_VARIABLES_LENGTH'))
          : checkValue(bound, body[name], longest);
      if ('error' in checked) result.errors[name] = [checked.error];
      else result.input[keyOf(bound)] = checked.value;
    } else if (mode === 'patch' || (mode === 'replace' && field.required === 'create')) continue;
    else if (isRequired(field, mode)) result.errors[name] = ['This field is required.'];
    // secrets are kept: a client that writes back what it read does not know them
    else if (mode === 'create' || !(field.mode === 'wo' || field.secret)) {
      if (isStored(bound)) result.input[keyOf(bound)] = defaultOf(field);
    }
  }
  return result;
}

/** Must a body of this kind hold the field? */
export const isRequired = ({ required = false }: Pick<Field, 'required'>, mode: WriteMode): boolean =>
  mode === 'create' ? required !== false : mode === 'replace' && required === true;

export function isWritable({ field, name }: ModelField, mode: WriteMode): boolean {
  if (name === 'id' || field.type === 'computed') return false;
  return field.mode === 'rw' || field.mode === 'wo' || (field.mode === 'create' && mode === 'create');
}

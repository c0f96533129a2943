import { ask } from './input-schema.ts';
import type { ResolvedCredential } from './resolve.ts';

/** What a credential holds that must never be shown. */
export const secretsOf = ({ type, inputs }: Pick<ResolvedCredential, 'type' | 'inputs'>): string[] =>
  (type.inputs.fields ?? [])
    .filter((field) => field.secret)
    .map((field) => inputs[field.id])
    .filter((value): value is string => typeof value === 'string' && value !== '' && value !== ask);

import { type Row, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { checkValue } from './check-inputs.ts';
import { emptyValue, type InputField, type InputSchema, type Inputs } from './input-schema.ts';

export type InputSourceRow = Row & {
  input_field_name: string;
  metadata: Record<string, unknown>;
  target_credential_id: number;
  source_credential_id: number;
};

interface Linked {
  kind: string;
  name: string;
  inputs: InputSchema;
}

/** Judges a link before it is written: who names a source names by its metadata which secret. */
export async function checkInputSource({ trx, input, before, sent }: WriteContext<InputSourceRow>): Promise<void> {
  const row = { ...before, ...input };
  const target = await typeOf(trx, row.target_credential_id);
  const source = await typeOf(trx, row.source_credential_id);
  const errors: Record<string, unknown> = {};
  if (source && source.kind !== 'external')
    errors['source_credential'] = [`A credential of the type ${source.name} keeps no secrets of others.`];
  // so there are no circles: what looks up is looked up nowhere
  if (target?.kind === 'external')
    errors['target_credential'] = ['A credential that looks up secrets cannot have its own looked up.'];
  else if (target && !target.inputs.fields?.some(({ id }) => id === row.input_field_name))
    errors['input_field_name'] = [`The type ${target.name} has no such input.`];
  if (source?.kind === 'external' && (!before || sent.has('metadata') || sent.has('source_credential'))) {
    const { problems, metadata } = checkMetadata(source.inputs, row.metadata ?? {});
    if (problems) errors['metadata'] = problems;
    else input.metadata = metadata;
  }
  if (Object.keys(errors).length) throw new ValidationError(errors as Record<string, string[]>);
}

/** Held, so that the type of neither changes meanwhile. */
async function typeOf(trx: Knex, credential: number | undefined): Promise<Linked | undefined> {
  if (credential === undefined) return undefined;
  const held = await trx('credentials').where({ id: credential }).forShare().first('credential_type_id');
  return held && trx('credential_types').where({ id: held.credential_type_id }).first('kind', 'name', 'inputs');
}

interface Checked {
  metadata: Inputs;
  problems?: Record<string, string[]> | string[];
}

export function checkMetadata(schema: InputSchema, given: Record<string, unknown>): Checked {
  const fields = new Map((schema.metadata ?? []).map((field) => [field.id, field]));
  const unknown = Object.keys(given).filter((id) => !fields.has(id));
  if (unknown.length) {
    const names = unknown.slice(0, 10).map((id) => JSON.stringify(id.slice(0, 100)));
    return { metadata: {}, problems: [`Unknown metadata for this source: ${names.join(', ')}`] };
  }
  const metadata: Inputs = {};
  const problems: Record<string, string[]> = {};
  for (const [id, field] of fields) {
    const problem = take(field, given[id], metadata);
    if (problem) problems[id] = [problem];
    else if (schema.required?.includes(id) && !metadata[id] && field.default === undefined)
      problems[id] = ['This field is required.'];
  }
  return { metadata, ...(Object.keys(problems).length && { problems }) };
}

function take(field: InputField, value: unknown, metadata: Inputs): string | undefined {
  if (value === undefined) return undefined;
  const checked = value === null ? { value: emptyValue(field) } : checkValue(field, value);
  if ('error' in checked) return checked.error;
  metadata[field.id] = checked.value;
  return undefined;
}

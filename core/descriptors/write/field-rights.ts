import { type Actor, forbidden, type Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { isStored, keyOf, type Model, type ModelField } from '../model.ts';
import { masked } from '../../secrets/masked.ts';
import { comparable } from './activity-changes.ts';
import { defaultOf } from './field-values.ts';
import type { ValidatedInput } from './schema.ts';

type Row = Record<string, unknown>;

/** Who may write a field that not everybody may: who cannot read it could else only guess what it overwrites. */
export const writeRule = ({ field }: ModelField): Rule | undefined => field.write ?? field.read;

interface Writing {
  model: Model;
  actor: Actor | null;
  trx: Knex;
  /** the row as stored */
  before?: Row;
  /** or as it is about to be made */
  made?: Row;
}

/**
 * Holds the input to the rights on single fields. What the caller may not write stays as it is: values sent back as they
 * were are dropped, and a PUT without them resets nothing.
 * @throws ApiError 403 naming the field that would change
 */
export async function assertFieldRights(
  { model, actor, trx, before, made }: Writing,
  { input, errors, sent }: ValidatedInput,
): Promise<void> {
  for (const bound of model.fields.values()) {
    const rule = writeRule(bound);
    const { name, field } = bound;
    if (!rule || !(sent.has(name) || keyOf(bound) in input || name in errors)) continue;
    if (await rule.row(actor, before ?? made ?? {}, trx)) continue;
    const readable = !before || !field.read || (await field.read.row(actor, before, trx));
    const same = readable && !(name in errors) && isStored(bound) && isSame(bound, input[keyOf(bound)], before);
    if (sent.has(name) && !same) throw forbidden(`You may not ${before ? 'change' : 'set'} ${name}.`);
    if (!before) continue;
    delete input[keyOf(bound)];
    delete errors[name];
  }
}

function isSame(bound: ModelField, value: unknown, before: Row | undefined): boolean {
  const { field, kind } = bound;
  const now = before ? before[keyOf(bound)] : defaultOf(field);
  if (field.secret) return value === masked || (!value && !now);
  if (value === null || now === null || now === undefined) return (value ?? null) === (now ?? null);
  if (kind === 'number') return Number(value) === Number(now);
  if (kind === 'datetime') return Date.parse(String(value)) === Date.parse(String(now));
  return comparable(value) === comparable(now);
}

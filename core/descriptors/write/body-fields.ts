import { type Call, type Field, ValidationError } from '@tapline/plugin-sdk';
import type { Catalog } from '../compile.ts';
import { freeField } from '../model.ts';
import { defaultOf } from './field-values.ts';
import { checkReferences } from './references.ts';
import { validateBody } from './schema.ts';

type Body = Call['body'];

/**
 * Reads the body of an action or a route by its fields, as writes read theirs: unknown keys go, links must lead to what
 * the caller may see. A field that was not sent is absent unless it has a default of its own; a PATCH holds what was sent.
 */
export function bodyReader(
  { models, db, longest }: Pick<Catalog, 'models' | 'db' | 'longest'>,
  fields: Record<string, Field>,
) {
  const bound = Object.entries(fields).map(([name, field]) => ({ ...freeField(name, field), dataType: 'bigint' }));
  const model = { fields: new Map(bound.map((field) => [field.name, field])) };
  const refs = bound.filter(({ kind }) => kind === 'ref');
  /** @throws ValidationError with the messages of each wrong field */
  return async ({ method, body, actor }: Pick<Call, 'method' | 'body' | 'actor'>): Promise<Body> => {
    const patch = method === 'PATCH';
    const validated = await validateBody(model, body, patch ? 'patch' : 'create', longest);
    await checkReferences(models, refs, validated, actor, db);
    if (Object.keys(validated.errors).length) throw new ValidationError(validated.errors);
    return { ...(patch ? {} : defaultsOf(fields)), ...validated.input };
  };
}

const defaultsOf = (fields: Record<string, Field>): Body =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.default !== undefined)
      .map(([name, field]) => [name, defaultOf(field)]),
  );

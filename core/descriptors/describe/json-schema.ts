/** JSON Schema, as far as descriptions of answers and bodies need it. */
export type Schema = Record<string, unknown>;

export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const flag: Schema = { type: 'boolean' };

/** An object with these keys; all of them are there unless they are named as optional. */
export function record(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

export const listOf = (items: Schema): Schema => ({ type: 'array', items });
export const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });
export const orNull = (schema: Schema): Schema =>
  typeof schema.type === 'string' ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] };

/** A page as every list answers it. */
export const pageOf = (items: Schema): Schema =>
  record({
    count: { type: 'integer', minimum: 0 },
    next: { type: ['string', 'null'] },
    previous: { type: ['string', 'null'] },
    results: listOf(items),
  });

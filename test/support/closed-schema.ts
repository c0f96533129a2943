/**
 * The schema with every record closed: where it names keys, no others may stand. A named schema stays open at its own top, so
 * that `allOf` can add to it, and is closed where it is referred to.
 */
export function closed(document: any, schema: any, open = true): any {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => closed(document, one, open));
  const { properties, items, allOf, anyOf, additionalProperties, ...rest } = schema;
  const inner = (one: any) => closed(document, one, false);
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
    }),
    ...(items && { items: inner(items) }),
    ...(allOf && { allOf: closed(document, allOf, true) }),
    ...(anyOf && { anyOf: closed(document, anyOf, open) }),
    ...(additionalProperties !== undefined && { additionalProperties: inner(additionalProperties) }),
    ...(!open && namesKeys(document, schema) && { unevaluatedProperties: false }),
  };
}

function namesKeys(document: any, { $ref, properties, allOf, additionalProperties }: any): boolean {
  if (additionalProperties !== undefined) return false;
  if ($ref) return namesKeys(document, document.components.schemas[$ref.split('/').at(-1)]);
  if (allOf) return allOf.every((one: any) => namesKeys(document, one));
  return properties !== undefined;
}

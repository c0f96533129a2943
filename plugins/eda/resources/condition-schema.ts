const text = { type: 'string' };

/** What is told of conditions, wherever that is. */
export const conditionResults = {
  type: 'array',
  items: {
    type: 'object',
    required: ['expression', 'description', 'result', 'error'],
    additionalProperties: false,
    properties: { expression: text, description: text, result: { type: 'boolean' }, error: text },
  },
};

export const shapeOf = (properties: Record<string, object>) => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

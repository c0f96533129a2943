/** A name as SQL takes it; the dot parts schema and table. */
export const quote = (name: string) =>
  name
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');

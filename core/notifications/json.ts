/** The value of a text that is JSON, else something else; JSON has no `undefined`. */
export function jsonOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}

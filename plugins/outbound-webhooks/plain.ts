/** What Postgres stores of a text: no NUL, no half of a character, and no more than so much. */
export const plain = (text: string, most: number): string =>
  text.replaceAll('\0', '\uFFFD').slice(0, most).toWellFormed();

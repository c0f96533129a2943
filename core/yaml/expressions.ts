/** A header of this name may give expressions other delimiters; a character by its name is not looked up here. */
const opening = /\{\{|\{%|#jinja2:|\\N\{/;
const escaped = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/g;
const mostCoats = 8;

/**
 * The engine takes what stands in its command line for its owner's word, and evaluates expressions in it on the node: this text
 * has one, as it stands or once the engine has read its escapes.
 */
export function holdsExpression(text: string): boolean {
  let read = text;
  for (let coat = 0; coat < mostCoats; coat += 1) {
    if (opening.test(read)) return true;
    const next = unescaped(read);
    if (next === read) return false;
    read = next;
  }
  return true;
}

const unescaped = (text: string) =>
  text.replaceAll(escaped, (all, x?: string, u?: string, U?: string) => {
    const code = Number.parseInt(x ?? u ?? U ?? '', 16);
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
  });

/** What is wrong with a text that the engine evaluates though nobody gave it as an expression. */
export const expressionProblem = (text: string): string | undefined =>
  holdsExpression(text) ? 'Jinja expressions are not allowed here.' : undefined;

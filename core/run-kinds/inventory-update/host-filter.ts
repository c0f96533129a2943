/**
 * What is wrong with a regular expression of the engine's language. It is judged by that of this one, with what the two
 * write differently set aside: a mistake that only the engine's sees ends the update and is told there.
 */
export function regexProblem(text: string): string | undefined {
  const alike = text
    .replace(/^\(\?[aiLmsux]+\)/, '')
    .replaceAll('(?P<', '(?<')
    .replaceAll(/\(\?P=(\w+)\)/g, '\\k<$1>')
    .replaceAll(/\\A|\\Z/g, '')
    .replaceAll(/\(\?#[^)]{0,300}\)/g, '');
  try {
    new RegExp(alike).test('');
    return undefined;
  } catch (error) {
    return `Is no regular expression: ${(error as Error).message.split(': ').at(-1)}.`;
  }
}

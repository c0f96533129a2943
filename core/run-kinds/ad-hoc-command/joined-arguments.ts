import { holdsExpression } from '../../yaml/expressions.ts';

const alone = '\\';

/**
 * The engine's splitter leaves out a backslash that stands alone, with the blank before it, unless it stands within quotes; the line
 * that has one is joined to the next without a break. What a text may look like then.
 */
function* joinings(text: string): Generator<string> {
  const lines = text.split('\n').map((line) => line.split(' '));
  if (!lines.some((words) => words.includes(alone))) return;
  for (const kept of [true, false])
    yield lines
      .map((words) => {
        // the first word stays, though empty: blanks stand between what follows
        const read = kept ? words : words.map((word, at) => (word === alone ? (at ? undefined : '') : word));
        const line = read.filter((word) => word !== undefined).join(' ');
        return words.includes(alone) ? line : `${line}\n`;
      })
      .join('');
}

/** Arguments of a module in which the engine finds an expression, as they stand or once it has joined their lines. */
export const argumentsHoldExpression = (text: string): boolean =>
  holdsExpression(text) || joinings(text).some((joined) => holdsExpression(joined));

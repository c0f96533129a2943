interface Span {
  text: string;
  /** class names, '' for plain */
  style: string;
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
// escape sequences: colours (kept), everything else (dropped)
const sequence = /\x1b\[([\d;]*)m|\x1b(?:\[[\d;?]*[A-Za-z]|\][^\x07]*\x07|[@-Z\\-_])/g;

/** One line of output in spans of equal style. The engine ends every colour on the line where it began it. */
export function ansiSpans(line: string): Span[] {
  const spans: Span[] = [];
  const state = { colour: '', bold: false };
  let at = 0;
  const push = (text: string) => {
    if (text) spans.push({ text, style: [state.colour, state.bold ? 'ansi-bold' : ''].filter(Boolean).join(' ') });
  };
  for (const match of line.matchAll(sequence)) {
    push(line.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[1] !== undefined) apply(state, match[1]);
  }
  push(line.slice(at));
  return spans;
}

function apply(state: { colour: string; bold: boolean }, codes: string): void {
  const numbers = codes.split(';').map(Number);
  for (let i = 0; i < numbers.length; i += 1) {
    const code = numbers[i]!;
    if (code === 0) Object.assign(state, { colour: '', bold: false });
    else if (code === 1) state.bold = true;
    else if (code === 22) state.bold = false;
    else if (code === 39) state.colour = '';
    else if (code >= 30 && code <= 37) state.colour = `ansi-${colours[code - 30]}`;
    else if (code >= 90 && code <= 97) state.colour = `ansi-${colours[code - 90]}`;
    // palettes of 256 or more colours: theirs would not be readable on our background
    else if (code === 38 || code === 48) i += numbers[i + 1] === 5 ? 2 : 4;
  }
}

export const plainText = (line: string): string => line.replaceAll(sequence, '');

/** Escape sequences of terminals: CSI, OSC (up to BEL or ST), and the two-character ones. */
const sequences = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_=>78])/g;

export const stripAnsi = (text: string): string => (text.includes('\x1b') ? text.replace(sequences, '') : text);

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (c) => escapes[c] as string);

/** Turns colours into spans with classes `ansi31`, piece by piece: a colour may go on over pieces. */
export function createAnsiHtml() {
  let classes: string[] = [];
  let open = '';
  const wrap = (text: string) => (text && open ? `${open}${escapeHtml(text)}</span>` : escapeHtml(text));
  return (text: string): string => {
    let html = '';
    let at = 0;
    for (const match of text.matchAll(sequences)) {
      html += wrap(text.slice(at, match.index));
      at = match.index + match[0].length;
      const codes = /^\x1b\[([0-9;]*)m$/.exec(match[0]);
      if (!codes) continue;
      const now = applyCodes(classes, codes[1] ?? '');
      if (now === classes) continue;
      classes = now;
      open = now.length ? `<span class="${now.join(' ')}">` : '';
    }
    return html + wrap(text.slice(at));
  };
}

/** Which earlier class a code replaces. */
const family = (code: number): string =>
  (code >= 30 && code <= 39) || (code >= 90 && code <= 97)
    ? 'foreground'
    : (code >= 40 && code <= 49) || (code >= 100 && code <= 107)
      ? 'background'
      : String(code);

/** Weights, lines and colours, bright ones too; whatever else there is (fonts, frames) shows nowhere. */
const isKnown = (code: number) => code <= 9 || (code >= 30 && code <= 49) || (code >= 90 && code <= 107);
/** Nobody writes many codes at once. */
const longestSequence = 100;

function applyCodes(classes: string[], text: string): string[] {
  if (text.length > longestSequence) return classes;
  const codes = text.split(';').map(Number);
  let result = classes;
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i] ?? 0;
    if (code === 0) result = [];
    else if (code === 38 || code === 48) {
      const width = codes[i + 1] === 5 ? 2 : 4;
      result = replace(result, code, `ansi${codes.slice(i, i + width + 1).join('-')}`);
      i += width;
    } else if (code === 22) result = result.filter((name) => name !== 'ansi1' && name !== 'ansi2');
    else if (code > 22 && code < 30) result = result.filter((name) => name !== `ansi${code - 20}`);
    else if (isKnown(code)) result = replace(result, code, code === 39 || code === 49 ? '' : `ansi${code}`);
  }
  return result;
}

function replace(classes: string[], code: number, name: string): string[] {
  const kept = classes.filter((other) => family(Number(/^ansi(\d+)/.exec(other)?.[1])) !== family(code));
  return name ? [...kept, name] : kept;
}

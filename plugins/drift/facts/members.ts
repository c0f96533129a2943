/**
 * The text of each member of an object, by its key, out of the canonical text of the whole (`wholeOf`): nothing is parsed but
 * the keys, since of two snapshots most facts are the same.
 */
export function membersOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let at = 1;
  while (text[at] === '"') {
    const keyEnd = endOfText(text, at);
    const end = endOfValue(text, keyEnd + 2);
    found.set(JSON.parse(text.slice(at, keyEnd)), text.slice(keyEnd + 2, end));
    at = end + 2;
  }
  return found;
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Where the next member begins, or the object ends. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfText(text, at) - 1;
    else if (opening.has(code)) depth += 1;
    else if (closing.has(code) && depth-- === 0) return at;
    else if (code === comma && depth === 0) return at;
  }
  return text.length;
}

/** Right behind the quote that ends the text which begins here. */
function endOfText(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}

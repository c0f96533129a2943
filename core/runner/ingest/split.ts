import type { Masker } from './mask.ts';

const newline = 10;

/**
 * Cuts output into pieces of at most `size`, at line ends where there are any and never inside a secret.
 * Unless nothing follows (`last`), an unfinished line is left for later: `bytes` says how much was taken.
 */
export function splitText(
  bytes: Buffer,
  size: number,
  last: boolean,
  masker: Masker,
): { pieces: string[]; bytes: number } {
  const taken = last ? bytes.length : complete(bytes, size, masker);
  return { pieces: cut(bytes.toString('utf8', 0, taken), size, masker), bytes: taken };
}

/** How much can be taken while the stream goes on. A line that outgrows the size is not waited for. */
function complete(bytes: Buffer, size: number, masker: Masker): number {
  let at = bytes.lastIndexOf(newline) + 1;
  if (!at && bytes.length < size) return 0;
  if (!at) at = Math.max(Math.floor(size / 2), bytes.length - 4 * masker.reach - 4);
  // byte for byte, since the cut has to be a byte offset
  const safe = masker.reach ? masker.cutBefore(bytes.toString('latin1'), at) : at;
  return wholeCharacters(bytes, safe || at);
}

function wholeCharacters(bytes: Buffer, at: number): number {
  let end = at;
  while (end > 0 && end < bytes.length && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return end || at;
}

function cut(text: string, size: number, masker: Masker): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > size) {
    const lineEnd = text.lastIndexOf('\n', start + size - 1) + 1;
    const at = lineEnd > start ? lineEnd : start + size;
    const near = text.slice(start, at + masker.reach);
    let end = start + (masker.cutBefore(near, at - start) || at - start);
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? '')) end += 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}

/** Cuts an event's text for a list: `…` in place of the rest, colours that are still on are switched off. */
export function truncateText(text: string, longest: number): string {
  if (longest <= 0 || text.length <= longest) return text;
  // half a surrogate pair or half an escape sequence would spoil what follows
  const cut = text.slice(0, longest - 1).replace(/(?:[\ud800-\udbff]|\x1b(?:\[[0-9;]*)?)$/, '');
  const last = [...cut.matchAll(/\x1b\[([0-9;]*)m/g)].at(-1);
  const open = last !== undefined && !/^0*$/.test(last[1] ?? '');
  return `${cut}…${open ? '\x1b[0m' : ''}`;
}

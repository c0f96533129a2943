const first = (within: ParentNode, selector: string): HTMLElement | undefined =>
  [...within.querySelectorAll<HTMLElement>(selector)].find((element) => element.checkVisibility());

const main = (): HTMLElement => document.querySelector<HTMLElement>('main') ?? document.body;

export function press(selector: string): boolean {
  const found = first(main(), selector);
  found?.click();
  return found !== undefined;
}

export function focusOn(selector: string): boolean {
  const found = first(main(), selector);
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
  return found !== undefined;
}

const rowsOf = (within: ParentNode) => [...within.querySelectorAll<HTMLElement>('tbody > tr')];
const entryOf = (row: HTMLElement | undefined) =>
  row && (first(row, 'th a, th button') ?? first(row, 'a, button, input'));

/** The row of a list that has the focus. */
export const rowHere = (): HTMLElement | null => document.activeElement?.closest('tbody > tr') ?? null;

/** To another row of the list; from outside to its first or last. */
export function moveRow(by: number): boolean {
  const here = rowHere();
  const rows = rowsOf(here?.closest('table') ?? main());
  const at = here ? rows.indexOf(here) + by : by > 0 ? 0 : rows.length - 1;
  const entry = entryOf(rows[Math.min(rows.length - 1, Math.max(0, at))]);
  entry?.focus();
  return entry !== undefined;
}

/** Ticks or opens nothing but the row that has the focus. */
export function tickRow(): boolean {
  const box = rowHere()?.querySelector<HTMLInputElement>('input[type="checkbox"]');
  box?.click();
  return Boolean(box);
}

/** Left and right among tabs, as far as there are any. */
export function moveTab(by: number): boolean {
  const tabs = document.activeElement?.closest('nav.tabs');
  const links = [...(tabs?.querySelectorAll<HTMLElement>('a') ?? [])];
  const at = links.indexOf(document.activeElement as HTMLElement);
  if (at < 0) return false;
  links[(at + by + links.length) % links.length]?.focus();
  return true;
}

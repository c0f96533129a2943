/** One line of the palette. */
export interface Entry {
  /** unique among those that are shown */
  id: string;
  group: 'actions' | 'pages' | 'found';
  label: string;
  /** what kind of thing it is */
  kind?: string;
  act: () => void;
}

/** Whether everything that was typed stands somewhere in the text. */
export function fits(text: string, typed: string): boolean {
  const inside = text.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => inside.includes(word));
}

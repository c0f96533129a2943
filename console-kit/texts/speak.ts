import { stored } from './t.ts';

/** Shows everything in another language from now on, or in English again: by the texts of its catalog, English at the left. */
export function speak(language: string | null, texts: Readonly<Record<string, string>> = {}): void {
  if (language === null) localStorage.removeItem(stored);
  else localStorage.setItem(stored, JSON.stringify({ language, texts }));
  location.reload();
}

import type { ComponentChildren } from 'preact';

/** Where the texts of another language are kept: at hand before anything is drawn. */
export const stored = 'tapline.texts';

/** By the English text, with {0} in the place of what is put in; empty where English is spoken. */
const translated: Readonly<Record<string, string>> = readStored();

function readStored(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(stored) ?? '{}').texts ?? {};
  } catch {
    // the browser keeps nothing for us, or something else than we do
    return {};
  }
}

type Put = string | number;

/**
 * A text that people read, in English where it stands: t`Delete ${name}?`. It is shown in their language where there is one.
 * What is put in may be a part of a page; then what comes back is one as well.
 */
export function t(parts: TemplateStringsArray, ...values: Put[]): string;
export function t(parts: TemplateStringsArray, ...values: ComponentChildren[]): ComponentChildren;
export function t(parts: TemplateStringsArray, ...values: ComponentChildren[]): ComponentChildren {
  const english = parts.reduce((text, part, i) => `${text}{${i - 1}}${part}`);
  const pieces = translate(english).split(/\{(\d+)\}/);
  const put = pieces.map((piece, i) => (i % 2 ? values[Number(piece)] : piece));
  return put.some((one) => typeof one === 'object' && one !== null)
    ? put
    : put.map((one) => (one === null || one === undefined || typeof one === 'boolean' ? '' : String(one))).join('');
}

/** A text that is known only when it comes, such as the label of an entry of the menu. */
export const translate = (english: string): string => translated[english] ?? english;

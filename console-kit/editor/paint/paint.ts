import type { Grammar, TokenStream } from 'prismjs';
import { Prism } from './prism-global.ts';
import 'prismjs/components/prism-json.js';
import 'prismjs/components/prism-yaml.js';
import 'prismjs/components/prism-rego.js';
import 'prismjs/components/prism-django.js';
import type { Language } from '../language.ts';

/** A piece of text and what it is: `string`, `keyword`; '' where it is nothing of its own. */
export type Piece = readonly [kind: string, text: string];

const { languages } = Prism;

const grammars: Record<Language, Grammar> = {
  json: languages['json']!,
  yaml: languages['yaml']!,
  rego: languages['rego']!,
  // what stands around expressions is whatever it is
  jinja: {
    expression: { pattern: /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#[\s\S]*?#\}/, inside: languages['django']! },
  },
};

/** The text in pieces, whatever it holds: together they are the text. */
export function painted(text: string, language: Language): Piece[] {
  const pieces: Piece[] = [];
  const walk = (token: TokenStream, kind: string) => {
    if (typeof token === 'string') pieces.push([kind, token]);
    else if ('content' in token) walk(token.content, token.type);
    else for (const inner of token) walk(inner, kind);
  };
  walk(Prism.tokenize(text, grammars[language]), '');
  return pieces;
}

const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
const opening = new Set(Object.values(pairs));
/** In these a bracket is a letter like any other. */
const texts = new Set(['string', 'comment', 'scalar', 'property']);

/** Where the bracket at the caret and its other half stand; null where there is none beside it, or it has none. */
export function bracketsAt(pieces: readonly Piece[], caret: number): [number, number] | null {
  const open: number[] = [];
  let at = 0;
  for (const [kind, text] of pieces) {
    for (const letter of texts.has(kind) ? '' : text) {
      if (opening.has(letter)) open.push(at);
      else if (letter in pairs) {
        const from = open.pop();
        if (from !== undefined && [from, at].some((one) => one === caret || one === caret - 1)) return [from, at];
      }
      at += letter.length;
    }
    if (texts.has(kind)) at += text.length;
  }
  return null;
}

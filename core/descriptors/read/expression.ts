import { badFilter } from './filter-key.ts';
import { storable } from './scalar.ts';

/** `key=value`; `at`: where it begins, counted from 1 */
export interface Atom {
  is: 'atom';
  key: string;
  value: string;
  /** an unquoted value may be a number, a boolean or null; a quoted one is a text */
  quoted: boolean;
  not: boolean;
  at: number;
}

export type Expression = Atom | { is: 'and' | 'or'; parts: Expression[] };

const longest = 16_384;
const mostAtoms = 200;
const deepest = 20;

interface Token {
  text: string;
  at: number;
  kind: 'word' | 'quoted' | '(' | ')' | '=' | 'end';
  /** nothing stands between it and the token before */
  joined: boolean;
}

const complaint = (at: number, message: string) => badFilter(`at character ${at}: ${message}`);

const tokenPattern = /\s*(?:([()=])|"([^"]*)"|([^\s()="]+))/y;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < end) {
    const from = tokenPattern.lastIndex;
    const match = tokenPattern.exec(text);
    if (!match) throw complaint(text.indexOf('"', from) + 1, 'the quotation has no end: " is missing.');
    const [whole, sign, quotation, word] = match;
    const at = from + whole.length - whole.trimStart().length + 1;
    const kind = (sign as '(' | ')' | '=' | undefined) ?? (quotation === undefined ? 'word' : 'quoted');
    tokens.push({ text: sign ?? quotation ?? word!, at, kind, joined: at === from + 1 });
  }
  return [...tokens, { text: '', at: end + 1, kind: 'end', joined: false }];
}

/**
 * Reads `name__icontains=web and (enabled=true or not groups__name="my group")`: `and` binds tighter than `or`, `not` tighter than
 * both. What is denied is denied atom by atom, as in filters. @throws ApiError 400 that says what is wrong, and where
 */
export function parseExpression(text: string): Expression {
  if (text.length > longest) throw badFilter(`longer than ${longest} characters.`);
  if (!storable(text)) throw badFilter('it holds a character that cannot be stored.');
  return new Parser(tokensOf(text)).whole();
}

class Parser {
  readonly #tokens: Token[];
  #next = 0;
  #atoms = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#either(false, 0);
    const { kind, at, text } = this.#peek();
    if (kind !== 'end')
      throw complaint(at, kind === ')' ? '( is missing for this ).' : `expected and, or, or the end, not ${text}.`);
    return expression;
  }

  #peek = (): Token => this.#tokens[this.#next]!;

  #take(): Token {
    return this.#tokens[this.#next++]!;
  }

  #takeWord(word: string): boolean {
    const { kind, text } = this.#peek();
    // a field of that name is followed by its value
    if (kind !== 'word' || text !== word || this.#tokens[this.#next + 1]?.kind === '=') return false;
    this.#next += 1;
    return true;
  }

  /** Denied, `or` becomes `and` and the other way round. */
  #either(not: boolean, depth: number): Expression {
    const parts = [this.#all(not, depth)];
    while (this.#takeWord('or')) parts.push(this.#all(not, depth));
    return parts.length === 1 ? parts[0]! : { is: not ? 'and' : 'or', parts };
  }

  #all(not: boolean, depth: number): Expression {
    const parts = [this.#one(not, depth)];
    while (this.#takeWord('and')) parts.push(this.#one(not, depth));
    return parts.length === 1 ? parts[0]! : { is: not ? 'or' : 'and', parts };
  }

  #one(not: boolean, depth: number): Expression {
    const { kind, at } = this.#peek();
    if (depth >= deepest) throw complaint(at, `more than ${deepest} levels of parentheses or not.`);
    if (this.#takeWord('not')) return this.#one(!not, depth + 1);
    if (kind !== '(') return this.#atom(not);
    this.#take();
    const inner = this.#either(not, depth + 1);
    const closing = this.#take();
    if (closing.kind === 'end') throw complaint(at, 'this ( is never closed.');
    if (closing.kind !== ')') throw complaint(closing.at, `expected and, or, or ), not ${closing.text}.`);
    return inner;
  }

  #atom(not: boolean): Atom {
    const { kind, text: key, at } = this.#take();
    if ((kind !== 'word' && kind !== 'quoted') || !key) throw complaint(at, 'expected key=value.');
    const sign = this.#take();
    if (sign.kind !== '=') throw complaint(sign.at, `expected = after ${key}.`);
    this.#atoms += 1;
    if (this.#atoms > mostAtoms) throw complaint(at, `more than ${mostAtoms} conditions.`);
    const { kind: next, text, joined } = this.#peek();
    const empty =
      (next !== 'word' && next !== 'quoted') || (!joined && next === 'word' && ['and', 'or'].includes(text));
    const value = empty ? { text: '', kind: 'quoted' } : this.#take();
    return { is: 'atom', key, value: value.text, quoted: value.kind === 'quoted', not, at };
  }
}

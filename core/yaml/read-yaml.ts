import { CST, type Document, Lexer, LineCounter, parseDocument, Schema } from 'yaml';

/** JSON of any size is quick; YAML takes 2 µs per character, and what people write by hand is short. */
export const maxLength = 250_000;
/** Of what is read, JSON too. */
export const maxDepth = 100;
const maxDirectives = 100;
const maxAliases = 1000;

/** Each of these twice in a line is an error in YAML, and the parser would go on to report all of them. */
const neverTwice = new Set<string | null>([
  'comma',
  'anchor',
  'tag',
  'alias',
  'single-quoted-scalar',
  'double-quoted-scalar',
]);
const insignificant = new Set<string | null>(['space', 'comment', 'doc-mode', 'flow-error-end']);

// what a scalar means is decided afterwards; a `%YAML` line must not change it
const schema = new Schema({ schema: 'failsafe' });
// line breaks to YAML 1.1 that the parser does not know are among them
const mustBeEscaped = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/**
 * The only way to a YAML parser for texts of other people; every scalar is a text in what it gives. What would keep
 * the parser busy out of proportion is refused by its own lexer first, which is linear.
 * @throws SyntaxError with the reason, in the parser's words and with the line where it is one of the text
 */
export function readYaml(source: string): { document: Document.Parsed; text: string; lines: LineCounter } {
  if (source.length > maxLength) throw new SyntaxError(`too long to be read as YAML, over ${maxLength} characters`);
  const text = source.replace(/\r\n?|\x85/g, '\n');
  if (mustBeEscaped.test(text)) throw new SyntaxError('it holds a control character, which must be escaped');
  assertProportionate(text);
  const lines = new LineCounter();
  // looking for double keys and drawing the place of each error both take quadratic time
  const options = { schema, version: '1.1', logLevel: 'error', uniqueKeys: false, prettyErrors: false } as const;
  const document = parseDocument(text, { ...options, lineCounter: lines });
  const [error] = document.errors;
  if (error?.code === 'MULTIPLE_DOCS') throw new SyntaxError('more than one document');
  if (error) throw new SyntaxError(`${error.message} at line ${lines.linePos(error.pos[0]).line}`);
  return { document: document as Document.Parsed, text, lines };
}

/** A mapping with one more name; comments stay. */
export function addToYaml({ text, key, value }: { text: string; key: string; value: string }): string {
  const { document } = readYaml(text);
  document.set(key, value);
  return document.toString().trim();
}

function assertProportionate(text: string): void {
  let [depth, directives, aliases] = [0, 0, 0];
  let [previous, scalar] = [null as string | null, false];
  for (const lexeme of new Lexer().lex(text)) {
    // the marker says that the next one is content, whatever it looks like
    const type = scalar ? 'scalar' : CST.tokenType(lexeme);
    scalar = !scalar && type === 'scalar';
    if (depth > 0 && type === 'scalar' && !scalar && /^[?:]/.test(lexeme))
      throw new SyntaxError(`a text that begins with ${lexeme[0]} must be quoted in brackets`);
    if (insignificant.has(type)) continue;
    if (type === 'flow-seq-start' || type === 'flow-map-start') depth += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') depth -= 1;
    else if (type === 'directive-line') directives += 1;
    else if (type === 'alias') aliases += 1;
    if (depth < 0) throw new SyntaxError('a bracket is closed that was not opened');
    if (depth > maxDepth) throw new SyntaxError(`nested deeper than ${maxDepth} levels`);
    if (directives > maxDirectives) throw new SyntaxError('too many directives');
    if (aliases > maxAliases) throw new SyntaxError(`more than ${maxAliases} aliases`);
    if (type === previous && neverTwice.has(type)) throw new SyntaxError(`${type} after ${type}`);
    previous = type;
  }
}

import {
  CST,
  type Document,
  type DocumentOptions,
  Lexer,
  parseDocument,
  type ParseOptions,
  type SchemaOptions,
} from 'yaml';

/** JSON of any size is quick; YAML takes 2 µs per character, and what people write by hand is short. */
const maxLength = 250_000;
/** Up to here everybody else waits some 30 ms, or 200 ms when the text was made for it. */
const shortEnough = 16_000;
const maxDepth = 100;
const maxDirectives = 100;
const maxAliases = 1000;

/** Each of these twice in a row is an error in YAML, which the parser reports one by one and slower with each. */
const neverTwice = new Set<string | null>([
  'comma',
  'anchor',
  'tag',
  'alias',
  'single-quoted-scalar',
  'double-quoted-scalar',
]);
const insignificant = new Set<string | null>(['space', 'newline', 'comment', 'doc-mode', 'flow-error-end']);

/**
 * The only way to a YAML parser for texts of other people. The parser works on one thread that everybody shares, so
 * what would keep it busy out of proportion is refused by its own lexer first, which is linear.
 * @throws Error with the reason, in the parser's words and with the line where it is one of the text
 */
export function readYaml(text: string, options: ParseOptions & DocumentOptions & SchemaOptions = {}): Document.Parsed {
  if (text.length > maxLength) throw new Error(`too long to be read as YAML, over ${maxLength} characters`);
  assertProportionate(text);
  // looking for double keys and drawing the place of each error both take quadratic time
  const document = parseDocument(text, { logLevel: 'silent', ...options, uniqueKeys: false, prettyErrors: false });
  const [error] = document.errors;
  if (error) throw new Error(`${error.message} at line ${text.slice(0, error.pos[0]).split('\n').length}`);
  return document as Document.Parsed;
}

/** Whether a text would keep a thread busy for so long that it must not be the one that everybody shares. */
export function isLongYaml(text: string): boolean {
  if (text.length <= shortEnough || text.length > maxLength) return false;
  try {
    JSON.parse(text);
    return false;
  } catch {
    return true;
  }
}

function assertProportionate(text: string): void {
  let [depth, directives, aliases] = [0, 0, 0];
  let [previous, scalar] = [null as string | null, false];
  for (const lexeme of new Lexer().lex(text)) {
    // the marker says that the next one is content, whatever it looks like
    const type = scalar ? 'scalar' : CST.tokenType(lexeme);
    scalar = !scalar && type === 'scalar';
    if (insignificant.has(type)) continue;
    if (type === 'flow-seq-start' || type === 'flow-map-start') depth += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') depth -= 1;
    else if (type === 'directive-line') directives += 1;
    else if (type === 'alias') aliases += 1;
    if (depth < 0) throw new Error('a bracket is closed that was not opened');
    if (depth > maxDepth) throw new Error(`nested deeper than ${maxDepth} levels`);
    if (directives > maxDirectives) throw new Error('too many directives');
    if (aliases > maxAliases) throw new Error(`more than ${maxAliases} aliases`);
    if (type === previous && neverTwice.has(type)) throw new Error(`${type} after ${type}`);
    previous = type;
  }
}

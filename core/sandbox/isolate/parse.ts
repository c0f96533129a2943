import { EvaluationError } from './errors.ts';
import { Float } from './values.ts';

/** A node of the parser; `typename` tells which fields it has. */
export interface Node {
  typename: string;
  lineno: number;
  colno: number;
  children: Node[];
  /** of a literal whatever it stands for; else a text (`textOf`) or a node (`nodeOf`) */
  value: unknown;
  name: Node;
  args: Node;
  left: Node;
  right: Node;
  target: Node;
  cond: Node;
  body: Node;
  else_: Node | null;
  /** of `a.b` and `a[b]` */
  val: Node;
  dotted?: true;
  /** of a pair in a dict, and of an argument with a name */
  key: Node;
  start: Node;
  stop: Node;
  step: Node;
  /** of a comparison: each with what stands on the right */
  expr: Node;
  ops: { expr: Node; type: string }[];
  /** of `for` and `set` */
  arr: Node;
  targets: Node[];
}

/** Of a name, and of text outside expressions. */
export const textOf = ({ value }: Node): string => value as string;
/** Of a pair in a dict, of an argument with a name, and of `set`. */
export const nodeOf = ({ value }: Node): Node => value as Node;

interface Token {
  type: string;
  value: string;
  lineno: number;
  colno: number;
}

interface Parser {
  peekToken(): Token | null;
  nextToken(): Token | null;
  skipSymbol(name: string): boolean;
  fail(message: string, line?: number, column?: number): never;
  parsePrimary(noPostfix?: boolean): Node;
  parsePostfix(start: Node): Node;
  parseSignature(): Node;
  parseAggregate(): Node;
  parseInlineIf(): Node;
  parseOr(): Node;
  parseIs(): Node;
  parseCompare(): Node;
  parseUnary(noFilters?: boolean): Node;
}

type Nodes = Record<string, new (line: number, column: number, ...parts: unknown[]) => Node>;
/** Types of tokens: `TOKEN_INT`. */
type Lexer = Record<string, string>;

/** The parser's own module, loaded by whoever runs this: inside the isolate, or in a test. */
interface Nunjucks {
  parser: {
    Parser: { prototype: Parser };
    parse(source: string, extensions?: unknown[], options?: object): Node;
  };
  nodes: Nodes;
  lexer: Lexer;
  installJinjaCompat(): void;
}

/** Teaches the parser what Jinja2 knows and it does not: tests with a bare argument, chained conditionals, floats, slices. */
export function createParser(nunjucks: Nunjucks): (source: string) => Node {
  // slices
  nunjucks.installJinjaCompat();
  const { parser, nodes, lexer } = nunjucks;
  teachOperands(parser.Parser.prototype, nodes, lexer);
  teachOperators(parser.Parser.prototype, nodes, lexer);
  return (source) => {
    try {
      return parser.parse(source, [], { autoescape: false });
    } catch (error) {
      throw new EvaluationError('syntax', plainMessage(error));
    }
  };
}

/** Without the parser's name for a template that has none. */
const plainMessage = (error: unknown) =>
  String((error as Error).message)
    .replace('(unknown path)', '')
    .trim();

function teachOperands(own: Parser, nodes: Nodes, lexer: Lexer): void {
  const { parsePrimary } = own;

  own.parsePrimary = function (noPostfix?: boolean) {
    const token = this.peekToken();
    if (token?.type === lexer.TOKEN_REGEX) this.fail('regular expressions are not part of the language');
    if (token?.type !== lexer.TOKEN_FLOAT) return parsePrimary.call(this, noPostfix);
    this.nextToken();
    const literal = new nodes.Literal(token.lineno, token.colno, new Float(Number.parseFloat(token.value)));
    return noPostfix ? literal : this.parsePostfix(literal);
  };

  own.parsePostfix = function (start: Node) {
    let node = start;
    for (let token = this.peekToken(); token; token = this.peekToken()) {
      if (token.type === lexer.TOKEN_LEFT_PAREN)
        node = new nodes.FunCall(token.lineno, token.colno, node, this.parseSignature());
      else if (token.type === lexer.TOKEN_LEFT_BRACKET) node = indexed(this, nodes, node);
      else if (token.type === lexer.TOKEN_OPERATOR && token.value === '.') node = dotted(this, nodes, lexer, node);
      else break;
    }
    return node;
  };
}

function teachOperators(own: Parser, nodes: Nodes, lexer: Lexer): void {
  own.parseInlineIf = function () {
    const body = this.parseOr();
    if (!this.skipSymbol('if')) return body;
    const node = new nodes.InlineIf(body.lineno, body.colno);
    node.body = body;
    node.cond = this.parseOr();
    node.else_ = this.skipSymbol('else') ? this.parseInlineIf() : null;
    return node;
  };

  own.parseIs = function () {
    let node = this.parseCompare();
    while (this.skipSymbol('is')) {
      const negated = this.skipSymbol('not');
      node = new nodes.Is(node.lineno, node.colno, node, testOf(this, nodes, lexer));
      if (negated) node = new nodes.Not(node.lineno, node.colno, node);
    }
    return node;
  };
}

function indexed(parser: Parser, nodes: Nodes, target: Node): Node {
  const { lineno, colno } = parser.peekToken()!;
  const { children } = parser.parseAggregate();
  if (children.length !== 1) parser.fail('one index is expected', lineno, colno);
  return new nodes.LookupVal(lineno, colno, target, children[0]);
}

/** `a.b`, and `a.0` for an item. */
function dotted(parser: Parser, nodes: Nodes, lexer: Lexer, target: Node): Node {
  const { lineno, colno } = parser.nextToken()!;
  const name = parser.nextToken();
  const number = name?.type === lexer.TOKEN_INT;
  if (!number && name?.type !== lexer.TOKEN_SYMBOL) parser.fail('expected a name after the dot', lineno, colno);
  const literal = new nodes.Literal(name.lineno, name.colno, number ? Number(name.value) : name.value);
  return Object.assign(new nodes.LookupVal(lineno, colno, target, literal), { dotted: true });
}

/** `name`, `name(args)` or `name argument`. */
function testOf(parser: Parser, nodes: Nodes, lexer: Lexer): Node {
  const token = parser.nextToken();
  const words = [lexer.TOKEN_SYMBOL, lexer.TOKEN_NONE, lexer.TOKEN_BOOLEAN];
  if (!token || !words.includes(token.type)) parser.fail('expected the name of a test', token?.lineno, token?.colno);
  const name = new nodes.Symbol(token.lineno, token.colno, token.value);
  const next = parser.peekToken();
  if (next?.type === lexer.TOKEN_LEFT_PAREN)
    return new nodes.FunCall(token.lineno, token.colno, name, parser.parseSignature());
  const starts = [
    lexer.TOKEN_STRING,
    lexer.TOKEN_INT,
    lexer.TOKEN_FLOAT,
    lexer.TOKEN_BOOLEAN,
    lexer.TOKEN_NONE,
    lexer.TOKEN_LEFT_BRACKET,
    lexer.TOKEN_LEFT_CURLY,
  ];
  const keywords = ['and', 'or', 'not', 'if', 'else', 'is', 'in'];
  const argument =
    next && (starts.includes(next.type) || (next.type === lexer.TOKEN_SYMBOL && !keywords.includes(next.value)));
  if (!argument) return name;
  return new nodes.FunCall(
    token.lineno,
    token.colno,
    name,
    new nodes.NodeList(token.lineno, token.colno, [parser.parseUnary(true)]),
  );
}

/** @throws EvaluationError for one that closes its braces: it would be a template */
export function soleExpression(parse: (source: string) => Node, source: string): Node {
  const { children } = parse(`{{ ${source} }}`);
  const [output] = children;
  if (
    children.length !== 1 ||
    output?.typename !== 'Output' ||
    output.children.length !== 1 ||
    output.children[0]?.typename === 'TemplateData'
  )
    throw new EvaluationError('syntax', 'one expression is expected');
  return output.children[0]!;
}

import { parseAst } from 'vite';
import { Declarations, type Node } from './declared.ts';
import { readFrom, wordsOf } from './read-from.ts';

/** A text that people read, as it stands in a source. */
export interface Literal {
  start: number;
  end: number;
  /** `attribute`, `child`, `value`, or `said` where it is one already */
  kind: 'attribute' | 'child' | 'value' | 'said';
  /** with {0} in the place of what is put in */
  text: string;
}

/** Attributes and properties that people read. */
const read = new Set(
  `title label caption intro hint submit busy placeholder aria-label alt empty back on one many text said whose warning verb
  doing done keep why problem noun help heading message cell`.split(/\s+/),
);
/** Those that nobody sees as they stand there. */
const unseen = new Set(['class', 'href', 'src', 'd', 'key', 'keys', 'code', 'style']);
/** What is called by such a name holds words, or makes them. */
const ofWords = /(?:^|[a-z])(?:[Ww]ords?|[Ll]abels?|[Tt]exts?|[Hh]ints?|[Ss]entences?|[Tt]itles?|[Cc]aptions?)$/;
/** Of an element or a component. */
const attributeRead = (name: string) => read.has(name) || name === 'what';
const letters = /\p{L}{2}/u;
/** More than a word of a program: it begins like a sentence. */
const sentence = /^(?:\p{Lu}\p{Ll}+(?:$|[\s’',:…]|[.?!](?:\s|$))|(?:A|\d+) \p{Ll})/u;
const threeWords = /(?:^| )\p{L}+ \p{L}+ \p{L}+/u;
/** Addresses, rules of schedules, lengths of styles, dates and expressions are the same in every language. */
const technical = /^(?:\/|https:|HTTP |package )|\bRRULE:|^\p{Lu}+[:;=]\S*$|^\S*px$|==|^YYYY-/u;
/** @param text with {0} in the place of what is put in, as of which it begins like a sentence, too */
const isText = (text: string, named: boolean) =>
  letters.test(text.replaceAll(put, ' ')) &&
  !technical.test(text) &&
  (named || threeWords.test(text) || sentence.test(text.replaceAll(put, 'Xx')));
const put = /\{\d+\}/g;

/** Every text of a source, said by `t` or not, in the order in which they stand there. */
export function literals(source: string, file: string): Literal[] {
  const program = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }) as Node;
  const walk = new Walk(program);
  walk.visit(program['body']);
  walk.called();
  return [...walk.found.values()].toSorted((a, b) => a.start - b.start || b.end - a.end);
}

class Walk {
  readonly found = new Map<string, Literal>();
  readonly #declared: Declarations;
  /** what was read already, so that names that lead in a circle end */
  readonly #followed = new Set<Node>();

  constructor(program: Node) {
    this.#declared = new Declarations(program);
  }

  /** What was found once stays what it was: it is met again where a name for it is read. */
  add(kind: Literal['kind'], { start, end }: Node, text: string): void {
    const place = `${start}-${end}`;
    if (!this.found.has(place)) this.found.set(place, { kind, start, end, text });
  }

  /** @param named what stands here is read, however it looks */
  value(node: Node | null | undefined, named: boolean, kind: Literal['kind']): void {
    if (!node) return;
    const by = values[node.type];
    if (by) return by(this, node, named, kind);
    this.visit(node);
    if (named) for (const from of readFrom(node, this.#declared)) this.#follow(from);
  }

  #follow(node: Node): void {
    if (this.#followed.has(node)) return;
    this.#followed.add(node);
    this.value(node, true, 'value');
  }

  /** What is called words is read wherever it is used. */
  called(): void {
    for (const { name, value } of this.#declared.all)
      if (value && ofWords.test(name))
        for (const one of value.type === 'ObjectExpression' ? wordsOf(value) : [value])
          // of several under one name not each is a word: that is known where they are used
          if (one.type !== 'ArrayExpression') this.#follow(one);
  }

  text(node: Node, text: string, named: boolean, kind: Literal['kind']): void {
    if (isText(text, named)) this.add(kind, node, text);
  }

  /** One that is given as a property: whatever else it is was seen as such. */
  attribute({ type, key, value }: Node): void {
    if (type === 'Property' && key.name === 'what') this.value(value, true, 'attribute');
  }

  visit(node: unknown): void {
    if (Array.isArray(node)) return node.forEach((one) => this.visit(one));
    if (typeof node !== 'object' || node === null || !('type' in node)) return;
    const one = node as Node;
    const by = visitors[one.type];
    if (by) by(this, one);
    else for (const [key, inner] of Object.entries(one)) if (key !== 'typeAnnotation') this.visit(inner);
  }
}

type Visitor = (walk: Walk, node: Node) => void;
const nothing: Visitor = () => undefined;
const inside: Visitor = (walk, node) => walk.visit(node['expression']);
const plain: Visitor = (walk, node) => walk.value(node, false, 'value');
/** The parts of what is put together by `+`. */
const sumOf = (node: Node): Node[] =>
  node.type === 'BinaryExpression' && node['operator'] === '+'
    ? [...sumOf(node['left']), ...sumOf(node['right'])]
    : [node];
const isString = ({ type, value }: Node) => type === 'Literal' && typeof value === 'string';

type Value = (walk: Walk, node: Node, named: boolean, kind: Literal['kind']) => void;
const values: Record<string, Value> = {
  Literal(walk, node, named, kind) {
    if (isString(node)) walk.text(node, node['value'], named, kind);
  },
  TemplateLiteral(walk, node, named, kind) {
    walk.text(node, templateText(node), named, kind);
    // words that are put into what is read are read
    for (const put of node['expressions']) walk.value(put, named, kind);
  },
  BinaryExpression(walk, node, named, kind) {
    if (node['operator'] !== '+') return walk.visit(node);
    const parts = sumOf(node);
    const puts = parts.filter((part) => !isString(part));
    const text = parts.map((part) => (isString(part) ? part['value'] : `{${puts.indexOf(part)}}`)).join('');
    walk.text(node, text, named, kind);
    for (const put of puts) walk.value(put, named, kind);
  },
  ConditionalExpression(walk, node, named, kind) {
    walk.visit(node['test']);
    for (const branch of ['consequent', 'alternate']) walk.value(node[branch], named, kind);
  },
  LogicalExpression(walk, node, named, kind) {
    if (node['operator'] === '&&') walk.visit(node['left']);
    else walk.value(node['left'], named, kind);
    walk.value(node['right'], named, kind);
  },
};

/** Say what they are given first. */
const firstRead = new Set(['toast', 'lazily']);
/** Make elements, without tags. */
const makers = new Set(['h', 'element']);
/** What is compared or looked up is nothing to read. */
const unread = /^(?:has|startsWith|includes|endsWith|getItem|setItem)$/;

const visitors: Record<string, Visitor> = {
  ImportDeclaration: nothing,
  ExportAllDeclaration: nothing,
  TSTypeAliasDeclaration: nothing,
  TSInterfaceDeclaration: nothing,
  TSAsExpression: inside,
  TSSatisfiesExpression: inside,
  BinaryExpression(walk, node) {
    if (node['operator'] === '+') return walk.value(node, false, 'value');
    for (const side of [node['left'], node['right']]) if (side.type !== 'Literal') walk.visit(side);
  },
  TaggedTemplateExpression(walk, node) {
    const said = node['tag'].name === 't';
    if (said) walk.add('said', node, templateText(node['quasi']));
    for (const put of node['quasi'].expressions) walk.value(put, said, 'value');
  },
  JSXText(walk, node) {
    const text = node['value'];
    if (/\p{L}/u.test(text) && !technical.test(text.trim())) walk.add('child', node, text);
  },
  JSXExpressionContainer: (walk, node) => walk.value(node['expression'], true, 'child'),
  JSXAttribute(walk, node) {
    const { name } = node['name'];
    const given = node['value'];
    if (!given || unseen.has(name)) return;
    const value = given.type === 'JSXExpressionContainer' ? given.expression : given;
    walk.value(value, attributeRead(name), 'attribute');
  },
  Property(walk, node) {
    const name = node['key'].name ?? node['key'].value;
    if (node['computed']) walk.visit(node['key']);
    if (!unseen.has(name)) walk.value(node['value'], read.has(name), 'value');
  },
  Literal: plain,
  TemplateLiteral: plain,
  ConditionalExpression: plain,
  LogicalExpression: plain,
  NewExpression(walk, node) {
    // of faults of programs nobody is told in their words
    if (node['callee'].name !== 'Error') walk.visit(node['arguments']);
  },
  CallExpression(walk, node) {
    const { callee } = node;
    walk.visit(callee);
    if (callee.object?.name === 'console' || unread.test(callee.property?.name)) return;
    const named = firstRead.has(callee.name);
    // what stands in an element comes after its attributes
    const made = makers.has(callee.name);
    for (const [i, argument] of node['arguments'].entries()) {
      if (made && i === 1) for (const one of argument.properties ?? []) walk.attribute(one);
      const inside = made && i > 1;
      walk.value(argument, inside || (named && i === 0), inside ? 'child' : 'value');
    }
  },
};

const templateText = (node: Node): string =>
  (node['quasis'] as Node[]).map(({ value }, i) => (i ? `{${i - 1}}` : '') + value.cooked).join('');

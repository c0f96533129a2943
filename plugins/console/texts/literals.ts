import { parseAst } from 'vite';

/** A text that people read, as it stands in a source. */
export interface Literal {
  start: number;
  end: number;
  /** `attribute`, `child`, `value`, or `said` where it is one already */
  kind: 'attribute' | 'child' | 'value' | 'said';
  /** with {0} in the place of what is put in */
  text: string;
}

type Node = { type: string; start: number; end: number; [key: string]: any };

/** Attributes and properties that people read. */
const read = new Set(
  `title label caption intro hint submit busy placeholder aria-label alt empty back on one many text said whose warning verb
  doing done keep why problem noun help heading message`.split(/\s+/),
);
/** Of an element or a component. */
const attributeRead = (name: string) => read.has(name) || name === 'what';
const letters = /\p{L}{2}/u;
/** More than a word of a program: it begins like a sentence. */
const sentence = /^(?:\p{Lu}\p{Ll}+(?:$|[\s’',:…]|[.?!](?:\s|$))|(?:A|\d+) \p{Ll})/u;
/** Addresses, rules of schedules, lengths of styles, dates and expressions are the same in every language. */
const technical = /^(?:\/|https:)|\bRRULE:|^\S*px$|==|^YYYY-/;
const isText = (text: string, named: boolean) =>
  letters.test(text) && !technical.test(text) && (named || sentence.test(text));

/** Every text of a source, said by `t` or not. */
export function literals(source: string, file: string): Literal[] {
  const walk = new Walk();
  walk.visit(parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body);
  return walk.found;
}

class Walk {
  readonly found: Literal[] = [];

  add(kind: Literal['kind'], { start, end }: Node, text: string): void {
    this.found.push({ kind, start, end, text });
  }

  /** @param named what stands here is read, however it looks */
  value(node: Node | null | undefined, named: boolean, kind: Literal['kind']): void {
    if (node?.type === 'Literal') {
      if (typeof node['value'] === 'string' && isText(node['value'], named)) this.add(kind, node, node['value']);
    } else if (node?.type === 'TemplateLiteral') {
      const text = templateText(node);
      const own = text.replaceAll(/\{\d+\}/g, ' ');
      if (letters.test(own) && isText(text.replaceAll(/\{\d+\}/g, 'Xx'), named)) this.add(kind, node, text);
      // words that are put into what is read are read
      for (const put of node['expressions']) this.value(put, named, kind);
    } else if (node?.type === 'ConditionalExpression') {
      this.visit(node['test']);
      for (const branch of ['consequent', 'alternate']) this.value(node[branch], named, kind);
    } else if (node?.type === 'LogicalExpression') {
      if (node['operator'] === '&&') this.visit(node['left']);
      else this.value(node['left'], named, kind);
      this.value(node['right'], named, kind);
    } else this.visit(node);
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
    if (!given || /^(?:class|href|src|d|key|style)$/.test(name)) return walk.visit(given?.expression);
    const value = given.type === 'JSXExpressionContainer' ? given.expression : given;
    walk.value(value, attributeRead(name), 'attribute');
  },
  Property(walk, node) {
    const name = node['key'].name ?? node['key'].value;
    if (node['computed']) walk.visit(node['key']);
    if (!['key', 'keys', 'code'].includes(name)) walk.value(node['value'], read.has(name), 'value');
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

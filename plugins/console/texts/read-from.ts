import { type Declarations, isFunction, type Node, returnsOf } from './declared.ts';

/** Called on texts or lists of them, give the same, or a part of it. */
const passing = new Set([
  'join',
  'filter',
  'trim',
  'toSorted',
  'slice',
  'concat',
  'at',
  'find',
  'replace',
  'toLowerCase',
]);
/** Give what a function makes of each. */
const making = new Set(['map', 'flatMap']);

type Nodes = (Node | null | undefined)[];
type From = (node: Node, declared: Declarations) => Nodes;

const inner: From = (node) => [node['expression'] ?? node['argument']];
const returned: From = (node) => returnsOf(node);

/** What a name stands for, without what only types say of it. */
function meant(node: Node | null, declared: Declarations): Node | null {
  if (node?.type === 'Identifier') return meant(declared.of(node), declared);
  return node && /^TS.*Expression$|^Chain|^Parenthesized/.test(node.type) ? meant(node['expression'], declared) : node;
}

/** What a record has at names that are known only as the program runs; a record within has more than words. */
export const wordsOf = (record: Node): Node[] =>
  (record['properties'] as Node[]).flatMap(({ value }) => (value && value.type !== 'ObjectExpression' ? [value] : []));

const valuesOf = (record: Node | null): Nodes => (record?.type === 'ObjectExpression' ? wordsOf(record) : [record]);

/** The part at a place of all lists that may be meant. */
function partsAt(node: Node | null, at: number, declared: Declarations): Nodes {
  const list = meant(node, declared);
  if (list?.type === 'ArrayExpression') return [list['elements'][at]];
  if (list?.type === 'LogicalExpression' || list?.type === 'ConditionalExpression')
    return [list['left'], list['right'], list['consequent'], list['alternate']].flatMap((one) =>
      one ? partsAt(one, at, declared) : [],
    );
  if (list?.type === 'MemberExpression' && list['computed'])
    return valuesOf(meant(list['object'], declared)).flatMap((one) => partsAt(one ?? null, at, declared));
  return [];
}

/** Where that comes from which is read at a place: what has the name, what a function gives back, what is taken out of. */
const ways: Record<string, From> = {
  Identifier: (node, declared) => [declared.of(node)],
  Element: ({ of, at }, declared) => partsAt(of, at, declared),
  ArrowFunctionExpression: returned,
  FunctionExpression: returned,
  FunctionDeclaration: returned,
  ChainExpression: inner,
  ParenthesizedExpression: inner,
  TSNonNullExpression: inner,
  TSAsExpression: inner,
  TSSatisfiesExpression: inner,
  ArrayExpression: (node) => node['elements'],
  MemberExpression({ object, property, computed }, declared) {
    if (computed && typeof property.value === 'number') return partsAt(object, property.value, declared);
    const from = meant(object, declared);
    if (computed) return valuesOf(from);
    if (from?.type !== 'ObjectExpression') return [];
    return [from['properties'].find(({ key }: Node) => key?.name === property.name)?.value];
  },
  CallExpression({ callee, arguments: [first] }, declared) {
    if (callee.type === 'MemberExpression') {
      if (passing.has(callee.property.name)) return [callee.object];
      return making.has(callee.property.name) ? [first] : [];
    }
    const called = meant(callee, declared);
    return called && isFunction(called) ? [called] : [];
  },
};

export const readFrom = (node: Node, declared: Declarations): Node[] =>
  (ways[node.type]?.(node, declared) ?? []).filter((one) => one !== null && one !== undefined);

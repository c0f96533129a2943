import { EvaluationError } from './errors.ts';
import { isGlobal } from './evaluate.ts';
import { filterNamed } from './filters.ts';
import { type Node, nodeOf, textOf } from './parse.ts';
import { testNamed } from './tests.ts';

/** What a template reads, found without running it. */
export interface Inspection {
  /** dotted paths that begin with a name it does not make itself: `token`, `tower.filename.cert` */
  reads: string[];
}

/** Nodes of other kinds are not part of the language. */
const known = new Set(
  `Root NodeList TemplateData Output If For Set Literal Symbol Group Array Dict Pair InlineIf And Or Not In Is Neg Pos Compare
   CompareOperand LookupVal Slice FunCall Filter KeywordArgs Add Sub Mul Div FloorDiv Mod Pow Concat`.split(/\s+/),
);

/** @throws EvaluationError for what no template may hold: unknown filters and tests, attributes that begin with an underscore */
export function inspect(root: Node): Inspection {
  const reads = new Set<string>();
  look(root, new Set(), reads);
  return { reads: [...reads] };
}

type Bound = Set<string>;

const special: Record<string, (node: Node, bound: Bound, reads: Set<string>) => void> = {
  Symbol: (node, bound, reads) => read([textOf(node)], bound, reads),
  For: (node, bound, reads) => {
    look(node.arr, bound, reads);
    const names = node.name.typename === 'Array' ? node.name.children : [node.name];
    look(node.body, new Set([...bound, 'loop', ...names.map(textOf)]), reads);
    look(node.else_, bound, reads);
  },
  Set: (node, bound, reads) => {
    look(node.value ? nodeOf(node) : node.body, bound, reads);
    for (const target of node.targets) bound.add(textOf(target));
  },
  Filter: (node, bound, reads) => {
    filterNamed(textOf(node.name));
    look(node.args, bound, reads);
  },
  Is: (node, bound, reads) => {
    look(node.left, bound, reads);
    const { right } = node;
    testNamed(textOf(right.typename === 'FunCall' ? right.name : right));
    if (right.typename === 'FunCall') look(right.args, bound, reads);
  },
  KeywordArgs: (node, bound, reads) => {
    for (const pair of node.children) look(nodeOf(pair), bound, reads);
  },
  LookupVal: (node, bound, reads) => {
    if (node.val.typename === 'Literal' && String(node.val.value).startsWith('_'))
      throw new EvaluationError('error', `${JSON.stringify(node.val.value)} is not accessible`);
    const path = pathOf(node);
    if (path) return read(path, bound, reads);
    look(node.target, bound, reads);
    look(node.val, bound, reads);
  },
};

function read([name, ...rest]: string[], bound: Bound, reads: Set<string>): void {
  if (!bound.has(name!) && !isGlobal(name!)) reads.add([name, ...rest].join('.'));
}

/** `a.b['c']` as its parts; null where one of them is only known when it runs. */
function pathOf(node: Node): string[] | null {
  if (node.typename === 'Symbol') return [textOf(node)];
  if (node.typename !== 'LookupVal' || node.val.typename !== 'Literal') return null;
  const target = pathOf(node.target);
  return target && [...target, String(node.val.value)];
}

function look(value: unknown, bound: Bound, reads: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) look(item, bound, reads);
  if (typeof value !== 'object' || value === null || !('typename' in value)) return;
  const node = value as Node & { fields: string[] };
  if (!known.has(node.typename)) throw new EvaluationError('syntax', `${node.typename} is not part of the language`);
  if (Object.hasOwn(special, node.typename)) return special[node.typename]!(node, bound, reads);
  for (const field of node.fields) look((node as unknown as Record<string, unknown>)[field], bound, reads);
}

import { EvaluationError, wrong } from './errors.ts';
import { filterNamed } from './filters.ts';
import { lookup, slice } from './lookup.ts';
import { add, divide, floorDivide, longest, modulo, multiply, negate, power, subtract } from './operators.ts';
import { type Node, nodeOf, textOf } from './parse.ts';
import { testNamed } from './tests.ts';
import { str } from './text.ts';
import { type Callable, Float, Tuple, Undefined, contains, equal, isInt, order, truthy } from './values.ts';

/** Names and their values; the inner one first. */
export class Scope {
  readonly names: Map<string, unknown>;
  readonly outer: Scope | undefined;
  /** a name without a value is shown as nothing, as Jinja2 does where it is not strict */
  readonly lenient: boolean;

  constructor(names: Map<string, unknown>, outer?: Scope, lenient = outer?.lenient ?? false) {
    this.names = names;
    this.outer = outer;
    this.lenient = lenient;
  }

  get(name: string): unknown {
    if (this.names.has(name)) return this.names.get(name);
    return this.outer ? this.outer.get(name) : new Undefined(`'${name}' is undefined`);
  }
}

function range(args: unknown[]): unknown[] {
  const [from, to, by = 1] = args.length === 1 ? [0, args[0]] : args;
  if (!isInt(from) || !isInt(to) || !isInt(by) || by === 0) throw wrong('range() takes whole numbers');
  const count = Math.max(0, Math.ceil((to - from) / by));
  if (count > longest) throw wrong(`a range of more than ${longest} items is not made`);
  return Array.from({ length: count }, (_, i) => from + i * by);
}

const globals: [string, unknown][] = [
  ['True', true],
  ['False', false],
  ['None', null],
  ['range', range satisfies Callable],
  ['dict', ((_args, kwargs) => new Map(kwargs)) satisfies Callable],
];

export const isGlobal = (name: string): boolean => globals.some(([known]) => known === name);

/** What the names of a context stand for, with the functions of the language around it. */
export const scopeOf = (context: Map<string, unknown>, lenient = false): Scope =>
  new Scope(context, new Scope(new Map(globals), undefined, lenient));

const binary: Record<string, (a: unknown, b: unknown) => unknown> = {
  Add: add,
  Sub: subtract,
  Mul: multiply,
  Div: divide,
  FloorDiv: floorDivide,
  Mod: modulo,
  Pow: power,
  Concat: (a, b) => str(a) + str(b),
};

const comparisons: Record<string, (a: unknown, b: unknown) => boolean> = {
  '==': equal,
  '===': equal,
  '!=': (a, b) => !equal(a, b),
  '!==': (a, b) => !equal(a, b),
  '<': (a, b) => order(a, b, '<') < 0,
  '<=': (a, b) => order(a, b, '<=') <= 0,
  '>': (a, b) => order(a, b, '>') > 0,
  '>=': (a, b) => order(a, b, '>=') >= 0,
};

type Evaluator = (node: Node, scope: Scope) => unknown;

const evaluators: Record<string, Evaluator> = {
  Literal: (node) => node.value,
  Symbol: (node, scope) => scope.get(textOf(node)),
  Group: (node, scope) =>
    node.children.length === 1 ? evaluate(node.children[0], scope) : Tuple.of(...all(node.children, scope)),
  Array: (node, scope) => all(node.children, scope),
  Dict: (node, scope) => new Map(node.children.map((pair) => [keyOf(pair.key, scope), evaluate(nodeOf(pair), scope)])),
  InlineIf: (node, scope) => {
    if (truthy(evaluate(node.cond, scope))) return evaluate(node.body, scope);
    return node.else_ ? evaluate(node.else_, scope) : new Undefined('the condition was false and there is no else');
  },
  And: (node, scope) => {
    const left = evaluate(node.left, scope);
    return truthy(left) ? evaluate(node.right, scope) : left;
  },
  Or: (node, scope) => {
    const left = evaluate(node.left, scope);
    return truthy(left) ? left : evaluate(node.right, scope);
  },
  Not: (node, scope) => !truthy(evaluate(node.target, scope)),
  In: (node, scope) => {
    const item = evaluate(node.left, scope);
    return contains(evaluate(node.right, scope), item);
  },
  Is: (node, scope) => {
    const { name, args } = node.right.typename === 'FunCall' ? node.right : { name: node.right, args: undefined };
    return testNamed(textOf(name))(evaluate(node.left, scope), ...(args ? all(args.children, scope) : []));
  },
  Neg: (node, scope) => negate(evaluate(node.target, scope)),
  Pos: (node, scope) => subtract(evaluate(node.target, scope), 0),
  Compare: compare,
  LookupVal: (node, scope) => {
    const target = evaluate(node.target, scope);
    if (node.val.typename === 'Slice') {
      const [start, stop, step] = all([node.val.start, node.val.stop, node.val.step], scope);
      return slice(target, start, stop, step);
    }
    return lookup(target, evaluate(node.val, scope), node.dotted ? 'attribute' : 'item');
  },
  FunCall: (node, scope) => {
    const callee = evaluate(node.name, scope);
    if (callee instanceof Undefined) callee.fail();
    if (typeof callee !== 'function') throw wrong('this is no function and cannot be called');
    return (callee as Callable)(...split(node.args, scope));
  },
  Filter: (node, scope) => {
    const [[value, ...args], named] = split(node.args, scope);
    return filterNamed(textOf(node.name))(value, args, named);
  },
};

/** The value of an expression's node. @throws EvaluationError */
export function evaluate(node: Node, scope: Scope): unknown {
  const operator = Object.hasOwn(binary, node.typename) ? binary[node.typename] : undefined;
  if (operator) {
    const left = evaluate(node.left, scope);
    return operator(left, evaluate(node.right, scope));
  }
  const evaluator = Object.hasOwn(evaluators, node.typename) ? evaluators[node.typename] : undefined;
  if (!evaluator) throw new EvaluationError('syntax', `${node.typename} is not part of the language`);
  return evaluator(node, scope);
}

const all = (nodes: Node[], scope: Scope) => nodes.map((node) => evaluate(node, scope));

const keyOf = (key: Node, scope: Scope) => {
  const value = evaluate(key, scope);
  return value instanceof Float ? value.n : value;
};

function compare(node: Node, scope: Scope): boolean {
  let left = evaluate(node.expr, scope);
  for (const { expr, type } of node.ops) {
    const right = evaluate(expr, scope);
    if (!comparisons[type]!(left, right)) return false;
    left = right;
  }
  return true;
}

/** Positional arguments and those with names. */
function split(args: Node, scope: Scope): [unknown[], Map<string, unknown>] {
  const named = new Map<string, unknown>();
  const plain: unknown[] = [];
  for (const child of args.children) {
    if (child.typename !== 'KeywordArgs') plain.push(evaluate(child, scope));
    else for (const pair of child.children) named.set(textOf(pair.key), evaluate(nodeOf(pair), scope));
  }
  return [plain, named];
}

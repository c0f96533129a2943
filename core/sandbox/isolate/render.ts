import { EvaluationError, wrong } from './errors.ts';
import { Scope, evaluate } from './evaluate.ts';
import { type Node, nodeOf, textOf } from './parse.ts';
import { str } from './text.ts';
import { Undefined, items, truthy } from './values.ts';

type Write = (text: string) => void;

const statements: Record<string, (node: Node, scope: Scope, write: Write) => void> = {
  Root: nodes,
  NodeList: nodes,
  TemplateData: (node, _scope, write) => write(textOf(node)),
  Output: (node, scope, write) => {
    for (const child of node.children)
      if (child.typename === 'TemplateData') write(textOf(child));
      else write(shown(evaluate(child, scope), scope));
  },
  If: (node, scope, write) => {
    if (truthy(evaluate(node.cond, scope))) run(node.body, scope, write);
    else if (node.else_) run(node.else_, scope, write);
  },
  For: loop,
  Set: (node, scope, write) => {
    const value = node.value ? evaluate(nodeOf(node), scope) : text(node.body, scope);
    if (node.targets.length === 1) return void scope.names.set(textOf(node.targets[0]), value);
    bind(node.targets, value, scope);
    write('');
  },
};

const shown = (value: unknown, scope: Scope): string => (scope.lenient && value instanceof Undefined ? '' : str(value));

function nodes(node: Node, scope: Scope, write: Write): void {
  for (const child of node.children) run(child, scope, write);
}

function run(node: Node, scope: Scope, write: Write): void {
  const statement = Object.hasOwn(statements, node.typename) ? statements[node.typename] : undefined;
  if (!statement) throw new EvaluationError('syntax', `${node.typename} is not part of the language`);
  statement(node, scope, write);
}

function bind(targets: Node[], value: unknown, scope: Scope): void {
  const parts = items(value);
  if (parts.length !== targets.length) throw wrong(`${targets.length} names cannot take ${parts.length} values`);
  for (const [i, target] of targets.entries()) scope.names.set(textOf(target), parts[i]);
}

function loop(node: Node, scope: Scope, write: Write): void {
  const list = items(evaluate(node.arr, scope));
  const names = node.name.typename === 'Array' ? node.name.children : [node.name];
  for (const [i, item] of list.entries()) {
    const inner = new Scope(new Map([['loop', position(list, i)]]), scope);
    if (names.length === 1) inner.names.set(textOf(names[0]), item);
    else bind(names, item, inner);
    run(node.body, inner, write);
  }
  if (!list.length && node.else_) run(node.else_, scope, write);
}

const position = (list: unknown[], i: number): Map<string, unknown> =>
  new Map<string, unknown>([
    ['index', i + 1],
    ['index0', i],
    ['revindex', list.length - i],
    ['revindex0', list.length - i - 1],
    ['first', i === 0],
    ['last', i === list.length - 1],
    ['length', list.length],
    ['previtem', list[i - 1]],
    ['nextitem', list[i + 1]],
  ]);

function text(node: Node, scope: Scope): string {
  let written = '';
  run(node, scope, (part) => void (written += part));
  return written;
}

/** The text of a template. @throws EvaluationError, also when it becomes longer than `most` characters */
export function render(root: Node, scope: Scope, most: number): string {
  let written = '';
  run(root, scope, (part) => {
    written += part;
    if (written.length > most) throw wrong(`the text is longer than ${most} characters`);
  });
  return written;
}

import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, parse } from 'acorn';

/** The parts of a syntax tree, the outer ones first, each with those around it. */
function* walk(node: AnyNode, around: readonly AnyNode[] = []): Generator<[AnyNode, readonly AnyNode[]]> {
  yield [node, around];
  for (const value of Object.values(node))
    for (const part of Array.isArray(value) ? value : [value])
      if (typeof part?.type === 'string') yield* walk(part, [...around, node]);
}
const parts = (node: AnyNode) => [...walk(node)].map(([part]) => part);

const textOf = (node: AnyNode): string | undefined => {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  return node.type === 'TemplateElement' ? (node.value.cooked ?? undefined) : undefined;
};
const nameOf = (node: AnyNode): string | undefined =>
  node.type === 'Identifier' ? node.name : node.type === 'MemberExpression' ? nameOf(node.property) : undefined;

/** A call that changes settings over the API, by its own words. */
function changes(node: AnyNode): boolean {
  if (node.type !== 'CallExpression') return false;
  const texts = node.arguments.flatMap((one) => parts(one)).map(textOf);
  const patches = nameOf(node.callee) === 'patch' || texts.includes('PATCH');
  return patches && texts.some((text) => text !== undefined && /(^|\/)settings\//.test(text));
}

const tests = new Set(['it', 'before', 'beforeEach', 'after']);

/**
 * The settings that a test file changes over the API: keys of objects in its code, where the same test makes such a change, by
 * itself or by a function of the file. What comments, titles and messages name is not counted.
 */
export function changedSettings(source: string): Set<string> {
  const tree = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module' }) as AnyNode;
  const all = [...walk(tree)];
  const helpers = new Set<string>();
  for (const [node] of all)
    if (node.type === 'VariableDeclarator' && node.init?.type.includes('Function') && parts(node.init).some(changes))
      helpers.add(nameOf(node.id)!);
    else if (node.type === 'FunctionDeclaration' && node.id && parts(node).some(changes)) helpers.add(node.id.name);
  const makesOne = (node: AnyNode) =>
    parts(node).some((one) => changes(one) || (one.type === 'CallExpression' && helpers.has(nameOf(one.callee) ?? '')));
  const found = new Set<string>();
  for (const [node, around] of all) {
    const parent = around.at(-1);
    // a key of what is sent, or a constant for one
    const key = parent?.type === 'Property' && parent.key === node && !parent.computed;
    const name = key
      ? (nameOf(node) ?? textOf(node))
      : parent?.type === 'VariableDeclarator'
        ? textOf(node)
        : undefined;
    if (name === undefined || !/^[A-Z][A-Z0-9_]+$/.test(name)) continue;
    const test = around.find((one) => one.type === 'CallExpression' && tests.has(nameOf(one.callee) ?? ''));
    const within = test ?? around.findLast((one) => one.type.includes('Function')) ?? tree;
    if (makesOne(within)) found.add(name);
  }
  return found;
}

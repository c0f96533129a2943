export type Node = { type: string; start: number; end: number; [key: string]: any };

interface Declared {
  name: string;
  /** of what it is known in: the smallest around a use is meant */
  from: number;
  to: number;
  /** what it was given, an `Element` where that is the part of a list; null where it is known only as the program runs */
  value: Node | null;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** What stands in a node. */
export const innerOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);

export const isFunction = ({ type }: Node): boolean =>
  ['ArrowFunctionExpression', 'FunctionExpression', 'FunctionDeclaration'].includes(type);

const scopes = new Set(['BlockStatement', 'ForStatement', 'ForOfStatement', 'ForInStatement', 'CatchClause']);

/** What a source gives its names, as far as it stands there. */
export class Declarations {
  readonly all: Declared[] = [];

  constructor(program: Node) {
    this.#read(program, program);
  }

  /** What a name stands for where it is used. */
  of({ name, start }: Node): Node | null {
    const around = this.all.filter((one) => one.name === name && one.from <= start && start < one.to);
    return around.toSorted((a, b) => a.to - a.from - (b.to - b.from))[0]?.value ?? null;
  }

  #read(node: Node, scope: Node): void {
    if (node.type === 'VariableDeclarator') this.#bind(node['id'], node['init'] ?? null, scope);
    else if (node.type === 'FunctionDeclaration') this.#bind(node['id'], node, scope);
    if (isFunction(node)) for (const parameter of node['params']) this.#bind(parameter, null, node);
    const inside = isFunction(node) || scopes.has(node.type) ? node : scope;
    for (const inner of innerOf(node)) this.#read(inner, inside);
  }

  #bind(pattern: Node, value: Node | null, scope: Node): void {
    if (pattern.type === 'Identifier')
      this.all.push({ name: pattern['name'], from: scope.start, to: scope.end, value });
    else if (pattern.type === 'AssignmentPattern') this.#bind(pattern['left'], value ?? pattern['right'], scope);
    else if (pattern.type === 'RestElement') this.#bind(pattern['argument'], null, scope);
    else if (pattern.type === 'ArrayPattern')
      for (const [at, one] of pattern['elements'].entries()) {
        if (one)
          this.#bind(one, value && { type: 'Element', start: value.start, end: value.end, of: value, at }, scope);
      }
    else if (pattern.type === 'ObjectPattern')
      // of the parts of objects nothing is known
      for (const one of pattern['properties']) this.#bind(one.value ?? one, null, scope);
  }
}

/** What a function gives back. */
export function returnsOf(made: Node): Node[] {
  if (made['body']?.type !== 'BlockStatement') return made['body'] ? [made['body']] : [];
  const found: Node[] = [];
  const look = (node: Node): void => {
    if (node.type === 'ReturnStatement' && node['argument']) found.push(node['argument']);
    if (!isFunction(node)) innerOf(node).forEach(look);
  };
  look(made['body']);
  return found;
}

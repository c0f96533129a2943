interface Node {
  path?: string;
  plain: Map<string, Node>;
  parameter?: Node;
}

/** Which of these templates (`/hosts/{id}/`) a path is one of; a plain segment goes before a parameter. */
export function pathFinder(paths: readonly string[]): (path: string) => string | undefined {
  const root: Node = { plain: new Map() };
  for (const path of paths) {
    let node = root;
    for (const segment of path.split('/')) {
      if (segment.startsWith('{')) node = node.parameter ??= { plain: new Map() };
      else {
        if (!node.plain.has(segment)) node.plain.set(segment, { plain: new Map() });
        node = node.plain.get(segment)!;
      }
    }
    node.path = path;
  }
  const find = (node: Node | undefined, segments: string[]): string | undefined => {
    if (!node) return undefined;
    const [first, ...rest] = segments;
    if (first === undefined) return node.path;
    return find(node.plain.get(first), rest) ?? (first === '' ? undefined : find(node.parameter, rest));
  };
  return (path) => find(root, path.split('/'));
}

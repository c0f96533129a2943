/** What must be the same on all nodes that serve together. */
export interface NodeSet {
  node: string;
  /** plugin id → version; null where an optional one was left out */
  plugins: Record<string, string | null>;
  active_key: string;
  key_ids: readonly string[];
}

/** How two nodes differ, as the first would tell it; [] where they may serve together. */
export function differences(mine: NodeSet, other: NodeSet): string[] {
  return [...pluginDifferences(mine.plugins, other.plugins), ...keyDifferences(mine, other)];
}

/** A plugin that one of them had to leave out is no reason to refuse: that is what optional means. */
function pluginDifferences(mine: NodeSet['plugins'], other: NodeSet['plugins']): string[] {
  const ids = [...new Set([...Object.keys(mine), ...Object.keys(other)])].toSorted();
  return ids.flatMap((id) => {
    const [here, there] = [mine[id], other[id]];
    if (here === there || here === null || there === null) return [];
    if (here === undefined) return [`plugin ${id} ${there} is on there, not here`];
    if (there === undefined) return [`plugin ${id} ${here} is on here, not there`];
    return [`plugin ${id} is ${here} here, ${there} there`];
  });
}

/** Each must be able to read what the other writes. */
function keyDifferences(mine: NodeSet, other: NodeSet): string[] {
  return [
    ...(mine.key_ids.includes(other.active_key)
      ? []
      : [`the key ${other.active_key}, active there, is not in the key ring here`]),
    ...(other.key_ids.includes(mine.active_key)
      ? []
      : [`the key ${mine.active_key}, active here, is not in the key ring there`]),
  ];
}

export interface PluginChanges {
  added: string[];
  removed: string[];
  changed: string[];
}

/** What changed since the set that the database recorded; undefined where nothing did. */
export function changesSince(before: NodeSet['plugins'], now: NodeSet['plugins']): PluginChanges | undefined {
  const added = Object.keys(now).filter((id) => !(id in before));
  const removed = Object.keys(before).filter((id) => !(id in now));
  const changed = Object.keys(now).filter((id) => id in before && before[id] !== now[id]);
  return added.length + removed.length + changed.length ? { added, removed, changed } : undefined;
}

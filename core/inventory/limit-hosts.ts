import type { InventoryDocument } from './document.ts';
import { matchesWildcards } from './wildcards.ts';

interface Group {
  hosts?: readonly string[];
  children?: readonly string[];
}

/** Of groups of a document without its variables: each with its hosts, those of its children included. */
function membersOf(document: InventoryDocument): Map<string, Set<string>> {
  const { _meta, ...rest } = document;
  const groups = rest as Record<string, Group>;
  const found = new Map<string, Set<string>>();
  const gather = (name: string, into: Set<string>, seen: Set<string>): void => {
    if (seen.has(name)) return;
    seen.add(name);
    const { hosts = [], children = [] } = groups[name] ?? {};
    for (const host of hosts) into.add(host);
    for (const child of children) gather(child, into, seen);
  };
  for (const name of Object.keys(groups)) {
    const members = new Set<string>();
    gather(name, members, new Set());
    found.set(name, members);
  }
  found.set('ungrouped', new Set(groups['all']?.hosts ?? []));
  return found;
}

/** The parts of a pattern; a lone IPv6 address holds no separators. */
const partsOf = (limit: string): string[] =>
  (limit.includes(',') ? limit.split(',') : limit.includes('::') ? [limit] : limit.split(':'))
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * Names of the hosts that a limit leaves of an inventory, by the engine's patterns: names, groups, wildcards, `!` and `&`.
 * undefined where only the engine itself knows: regular expressions, and places in a list.
 */
export function hostsOfLimit(document: InventoryDocument, limit: string): string[] | undefined {
  const groups = membersOf(document);
  const all = [...(groups.get('all') ?? [])];
  const parts = partsOf(limit);
  if (parts.some((part) => /^[!&]?~|[[\]]/.test(part))) return undefined;
  const matching = (pattern: string): Set<string> => {
    if (pattern === 'all' || pattern === '*') return new Set(all);
    const named = [...groups].filter(([name]) => matchesWildcards(name, pattern));
    const hosts = named.flatMap(([, members]) => [...members]);
    const alsoHosts = !named.length || /[.?*]/.test(pattern);
    return new Set([...hosts, ...(alsoHosts ? all.filter((name) => matchesWildcards(name, pattern)) : [])]);
  };
  const regular = parts.filter((part) => !/^[!&]/.test(part));
  let left = (regular.length ? regular : ['all']).flatMap((part) => [...matching(part)]);
  const narrow = (sign: string, keeps: boolean) => {
    for (const part of parts.filter((one) => one.startsWith(sign))) {
      const named = matching(part.slice(1));
      left = left.filter((name) => named.has(name) === keeps);
    }
  };
  narrow('&', true);
  narrow('!', false);
  return [...new Set(left)].toSorted();
}

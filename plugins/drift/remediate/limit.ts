/**
 * What keeps a name from meaning this host alone as a limit, or undefined. To the engine a limit is a pattern, and a name
 * that a group has too is that group.
 */
export function limitProblemOf(name: string, groups: ReadonlySet<string>): string | undefined {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)) return 'The name of the host is a pattern to the engine.';
  if (['all', 'ungrouped'].includes(name) || groups.has(name)) return 'A group has the name of the host.';
  return undefined;
}

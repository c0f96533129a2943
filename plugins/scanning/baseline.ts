import type { PluginApi } from '@tapline/plugin-sdk';
import type { Finding } from './scanner.ts';
import { judged, type Scanned } from './verdict.ts';

/** What is the same finding in another commit: lines move, and are left out. */
type Same = Pick<Finding, 'rule_id' | 'file_path' | 'message'>;
/** So many of the same. */
export type Kind = Same & { times: number };
export const sameAs = ({ rule_id: rule, file_path: file, message }: Same): string =>
  JSON.stringify([rule, file, message]);

export const kindsOf = <T extends Same>(findings: readonly T[], counts: (finding: T) => boolean = () => true): Kind[] =>
  [...Map.groupBy(findings, sameAs).values()].map((same) => {
    const { rule_id, file_path, message } = same[0]!;
    return { rule_id, file_path, message, times: same.filter(counts).length };
  });

type Accepted = Kind & { scanner_id: number; project_id: number };

/**
 * Leaves out of the verdict what somebody accepted: of the same finding as many as there were then, so that one more of its
 * kind counts. One statement for a launch, and none where nothing was found.
 */
export async function applyBaseline<T extends Scanned & { project_id: number | null }>(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  found: readonly T[],
): Promise<T[]> {
  const counting = found.filter(({ findings }) => findings.length);
  const projects = counting.flatMap(({ project_id: project }) => project ?? []);
  if (!projects.length) return [...found];
  const accepted: Accepted[] = await db(table('accepted'))
    .whereIn(
      'scanner_id',
      counting.map(({ scanner }) => scanner.id),
    )
    .whereIn('project_id', projects)
    .select('scanner_id', 'project_id', 'rule_id', 'file_path', 'message', 'times');
  if (!accepted.length) return [...found];
  return found.map((one) => {
    const own = accepted.filter((row) => row.scanner_id === one.scanner.id && row.project_id === one.project_id);
    const left = new Map(own.map((row) => [sameAs(row), row.times]));
    const findings = one.findings.map((finding) => {
      const key = sameAs(finding);
      const times = left.get(key) ?? 0;
      left.set(key, times - 1);
      return { ...finding, accepted: times > 0 };
    });
    if (!findings.some((finding) => finding.accepted)) return one;
    return { ...one, ...judged(one.scanner, findings) };
  });
}

import type { Launch, PluginApi } from '@tapline/plugin-sdk';
import type { Status } from './scanner.ts';
import { kindsOf } from './baseline.ts';
import { organizationOf } from './select-scanners.ts';
import { highest, type Scanned } from './verdict.ts';

const byHarm = ['blocked', 'timeout', 'error', 'warn'] as const;

/** Of one result: the worst ones; `finding_count` tells of all, and all can be accepted by their kinds. */
const mostFindings = 1000;

/** What came of a scanner for files of this commit. */
export type Found = Scanned & { revision: string; project_id: number | null };

/** A row for each scan with its findings, and what scanners tell of themselves, in one transaction. */
export async function storeResults(
  { db, table }: Pick<PluginApi, 'db' | 'table'>,
  launch: Launch,
  scanned: readonly Found[],
): Promise<void> {
  const { run, template, actor } = launch;
  await db.transaction(async (trx) => {
    // the launch that goes on or ends after it brings it along in the log
    await trx.raw('set local synchronous_commit to off');
    const ids = [...new Set(scanned.map(({ scanner }) => scanner.id))].toSorted((a, b) => a - b);
    // one that was deleted meanwhile has no row; in the order of their numbers, so that two launches do not wait for each other
    const there: number[] = await trx(table('scanners')).whereIn('id', ids).orderBy('id').forUpdate().pluck('id');
    const rows: { id: number }[] = await trx(table('results'))
      .insert(
        scanned.map(({ scanner, findings, ...result }) => ({
          ...result,
          scanner_id: there.includes(scanner.id) ? scanner.id : null,
          scanner_name: scanner.name,
          tool: scanner.tool,
          organization_id: organizationOf(launch),
          unified_job_id: run.id,
          unified_job_template_id: template?.id ?? null,
          triggered_by_id: actor?.id ?? null,
          finding_count: findings.length,
          accepted_count: findings.filter(({ accepted }) => accepted).length,
          highest_severity: highest(findings),
          kinds: findings.length > mostFindings ? JSON.stringify(kindsOf(findings)) : null,
        })),
      )
      .returning('id');
    const findings = scanned.flatMap((one, index) =>
      one.findings.slice(0, mostFindings).map((finding) => ({
        scan_result_id: rows[index]!.id,
        ...finding,
        excerpt: finding.excerpt ? JSON.stringify(finding.excerpt) : null,
      })),
    );
    if (findings.length) await trx.batchInsert(table('findings'), findings, 500);
    const told = ids.map((id) => scanned.filter(({ scanner }) => scanner.id === id).map(({ status }) => status));
    await trx.raw(
      `update ${table('scanners')} s set last_run_at = now(), last_run_status = n.status, trigger_count = trigger_count + n.hits
       from unnest(?::bigint[], ?::text[], ?::int[]) n(id, status, hits) where s.id = n.id`,
      [ids, told.map(worst), told.map((all) => all.filter((status) => status !== 'ok').length)],
    );
  });
}

const worst = (all: readonly Status[]): Status => byHarm.find((status) => all.includes(status)) ?? 'ok';

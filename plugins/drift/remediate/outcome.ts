import type { PluginApi } from '@tapline/plugin-sdk';

/** What a detection says of the run that was to put it right; empty where nobody launched one. */
export const outcomes = ['', 'launched', 'successful', 'failed', 'error', 'canceled'] as const;

/** How the run ended, where it has; asked by its end, and by the launch, which it may have overtaken. */
export async function noteEnd({ db, table }: Pick<PluginApi, 'db' | 'table'>, run: number): Promise<void> {
  await db.raw(
    `update ${table('detections')} d set remediation_status = r.status
     from core_runs r where r.id = ? and r.id = d.remediation_job_id and r.finished is not null`,
    [run],
  );
}

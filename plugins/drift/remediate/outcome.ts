import type { Call, PluginApi, Row } from '@tapline/plugin-sdk';

/** What a detection says of the run that was to put it right; empty where nobody launched one. */
export const outcomes = ['', 'launched', 'successful', 'failed', 'error', 'canceled'] as const;

interface Launch {
  detection: number;
  run: number;
  /** how often it had been put right when this was decided */
  seen: number;
}

/** @returns the run that is to put it right now: another one where somebody was faster, null where that is gone already */
export async function noteLaunch(api: PluginApi, call: Call, { detection, run, seen }: Launch): Promise<number | null> {
  const noted = await api.db.transaction(async (trx) => {
    const rows = trx(api.table('detections')).where({ id: detection });
    const before: Row | undefined = await rows.clone().forUpdate().first();
    if (!before) return run;
    if (before['remediations'] !== seen) return before['remediation_job_id'] as number | null;
    const said = { remediation_job_id: run, remediation_status: 'launched', remediations: seen + 1 };
    const [row] = await rows.update(said).returning('*');
    await call.written(trx, 'drift_detection', row as Row, before);
    return run;
  });
  await noteEnd(api, run);
  return noted;
}

/** How the run ended, where it has; asked by its end, and by the launch, which it may have overtaken. */
export async function noteEnd({ db, table }: Pick<PluginApi, 'db' | 'table'>, run: number): Promise<void> {
  await db.raw(
    `update ${table('detections')} d set remediation_status = r.status
     from core_runs r where r.id = ? and r.id = d.remediation_job_id and r.finished is not null`,
    [run],
  );
}

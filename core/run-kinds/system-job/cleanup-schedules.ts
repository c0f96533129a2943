import type { Knex } from 'knex';
import { showNextSchedules } from '../../schedules/next-of-templates.ts';

const key = 'cleanup_schedules';

/** What is cleaned up by itself, how long it is kept, and on which day of the coming week the first time is. */
const planned = [
  ['cleanup_jobs', 'Cleanup Job Schedule', { days: '120' }],
  ['cleanup_activitystream', 'Cleanup Activity Schedule', { days: '355' }],
  ['cleanup_sessions', 'Cleanup Expired Sessions', {}],
  ['cleanup_tokens', 'Cleanup Expired OAuth 2 Tokens', {}],
] as const;

const hour = 3_600_000;

/**
 * Weekly cleanups, made once: who deletes one does not want it. Where runs are there already, from before there were
 * schedules, they are switched off: nobody asked for old runs to be deleted.
 */
export async function ensureCleanupSchedules(db: Knex): Promise<void> {
  await db.transaction(async (trx) => {
    const first = await trx('service_state')
      .insert({ key, value: JSON.stringify(true) })
      .onConflict('key')
      .ignore()
      .returning('key');
    if (!first.length) return;
    const enabled = (await trx('runs').first('id')) === undefined;
    const templates = await trx('templates').where({ kind: 'system_job_template' }).select('id', 'job_type');
    const rows = planned.flatMap(([type, name, extra_data], index) => {
      const template = templates.find(({ job_type }) => job_type === type);
      // in the night of UTC, a day apart
      const at = new Date((Math.floor(Date.now() / (24 * hour)) + 1 + index) * 24 * hour + 2 * hour).toISOString();
      const start = at.replace(/[-:]|\.\d+/g, '');
      const rule = {
        rrule: `DTSTART:${start} RRULE:FREQ=WEEKLY;INTERVAL=1`,
        dtstart: at,
        next_run: enabled ? at : null,
        enabled,
        timezone: 'UTC',
      };
      return template
        ? [{ name, unified_job_template_id: template.id, extra_data: JSON.stringify(extra_data), ...rule }]
        : [];
    });
    if (!rows.length) return;
    await trx('schedules').insert(rows);
    await showNextSchedules(
      trx,
      rows.map(({ unified_job_template_id: template }) => template),
    );
  });
}

import type { Resource } from '@tapline/plugin-sdk';
import { anyOf } from '../../rbac/rules.ts';
import { isoSql } from '../../runs/columns.ts';
import type { RunKinds } from '../../runs/kinds.ts';
import { launchesTemplate } from '../../schedules/template-right.ts';

const nextSchedule = `(select json_build_object('id', n.id, 'name', n.name, 'description', n.description, 'next_run', ${isoSql('n.next_run')})
  from schedules n where n.id = {alias}.next_schedule_id)`;

/** Templates of every kind have their schedules below them, and link to the one that comes first. */
export function withSchedules(kinds: RunKinds, resources: readonly Resource[]): Resource[] {
  const types = new Set(kinds.templates().map(({ type }) => type));
  const write = launchesTemplate(kinds);
  return resources.map((resource) => {
    if (!types.has(resource.type) || resource.table !== 'templates') return resource;
    return {
      ...resource,
      sublists: {
        ...resource.sublists,
        schedules: {
          resource: 'schedule',
          column: 'unified_job_template_id',
          create: true,
          write: anyOf(write, ...(resource.access.change ? [resource.access.change] : [])),
          orderBy: ['-next_run', 'id'],
        },
      },
      spans: { ...resource.spans, schedules: { resource: 'schedule', column: 'unified_job_template_id' } },
      extraSql: { ...resource.extraSql, shown_next_schedule: nextSchedule },
      async summaries(db, rows, call, view) {
        const shown = (await resource.summaries?.(db, rows, call, view)) ?? new Map<number, Record<string, unknown>>();
        return new Map(
          rows.map((row) => {
            const next = row['shown_next_schedule'];
            return [row.id, { ...shown.get(row.id), ...(next ? { next_schedule: next } : {}) }];
          }),
        );
      },
      related: (row) => ({
        ...resource.related?.(row),
        next_schedule: row['next_schedule_id'] ? `/api/v2/schedules/${Number(row['next_schedule_id'])}/` : null,
      }),
    };
  });
}

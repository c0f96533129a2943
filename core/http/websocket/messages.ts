import { eventId } from '../../events/event-id.ts';
import type { BusMessages } from '../../jobs/bus.ts';

/** The group of a kind's events, and the kind behind a group. */
export const eventGroup = (kind: string): string => `${kind}_events`;
export const kindOfGroup: Readonly<Record<string, string>> = {
  job_events: 'job',
  project_update_events: 'project_update',
  ad_hoc_command_events: 'ad_hoc_command',
  inventory_update_events: 'inventory_update',
  system_job_events: 'system_job',
  workflow_events: 'workflow_job',
};

const withFinish = new Set(['successful', 'failed', 'canceled']);

/** `jobs-status_changed`; `seq` orders the changes of one run. */
export function statusMessage({
  run,
  kind,
  status,
  seq,
  template,
  project,
  inventory,
  finished,
}: BusMessages['status']): Record<string, unknown> {
  return {
    group_name: 'jobs',
    unified_job_id: run,
    status,
    type: kind,
    ...(template === null ? {} : { unified_job_template_id: template }),
    ...(status === 'running' ? { instance_group_name: null } : {}),
    ...(withFinish.has(status) && finished ? { finished } : {}),
    ...(kind === 'project_update' ? { project_id: project ?? template } : {}),
    ...(kind === 'inventory_update' ? { inventory_source_id: template, inventory_id: inventory ?? null } : {}),
    seq,
  };
}

export const summaryMessage = (run: number, counter: number) => ({
  group_name: 'jobs',
  unified_job_id: run,
  final_counter: counter,
  seq: counter,
});

/** Columns that an event message is made of. */
export const eventColumns = [
  'counter',
  'uuid',
  'parent_uuid',
  'event',
  'event_data',
  'event_level',
  'stdout',
  'start_line',
  'end_line',
  'failed',
  'changed',
  'play',
  'role',
  'task',
  'created',
] as const;

const withAddress: Readonly<Record<string, string>> = { job: 'job_events', ad_hoc_command: 'ad_hoc_command_events' };

export function eventMessage(kind: string, run: number, row: Record<string, any>): Record<string, unknown> {
  const id = eventId(run, row.counter);
  const path = withAddress[kind];
  const { created, ...shown } = row;
  return {
    group_name: eventGroup(kind),
    id,
    [kind]: run,
    ...shown,
    created,
    modified: created,
    url: path ? `/api/v2/${path}/${id}` : '',
    seq: row.counter,
  };
}

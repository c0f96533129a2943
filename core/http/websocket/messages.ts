import type { RunKind } from '@tapline/plugin-sdk';
import { cutText } from '../../db/safe-text.ts';
import { eventId } from '../../events/event-id.ts';
import type { BusMessages } from '../../queue/bus.ts';

/** The group of a kind's events. */
export const eventGroup = ({ kind, events }: Pick<RunKind, 'kind' | 'events'>): string =>
  events?.group ?? `${kind}_events`;

const withFinish = new Set(['successful', 'failed', 'canceled']);

/** `jobs-status_changed`; `seq` orders the changes of one run. */
export function statusMessage(
  runKind: RunKind | undefined,
  { run, kind, status, seq, template, parent, part, project, inventory, finished, group }: BusMessages['status'],
): Record<string, unknown> {
  const told = { id: run, template_id: template, project_id: project ?? null, inventory_id: inventory ?? null };
  return {
    group_name: 'jobs',
    unified_job_id: run,
    status,
    type: kind,
    ...(template === null ? {} : { unified_job_template_id: template }),
    ...(status === 'running' ? { instance_group_name: group ?? null } : {}),
    ...(withFinish.has(status) && finished ? { finished } : {}),
    ...(part == null ? {} : { workflow_job_id: parent, workflow_node_id: part }),
    ...runKind?.tells?.(told),
    seq,
  };
}

/** How the runs go that a run launched: who listens to that. Undefined: it is no part of another. */
export const partGroup = ({ part, parent }: BusMessages['status']): string | undefined =>
  part == null ? undefined : `workflow_events-${parent}`;

export function partMessage(runKind: RunKind | undefined, message: BusMessages['status']): Record<string, unknown> {
  const { template } = message;
  return {
    ...statusMessage(runKind, message),
    group_name: 'workflow_events',
    ...(template === null ? {} : { workflow_job_template_id: template }),
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

type EventColumns = Record<(typeof eventColumns)[number], unknown> & { counter: number };

/** Longer texts are cut: whoever wants all of it reads the event. */
const longestText = 65_536;

export const shortened = <Event extends { stdout: string }>(event: Event): Event =>
  event.stdout.length > longestText ? { ...event, stdout: `${cutText(event.stdout, longestText)}…` } : event;

export function eventMessage(runKind: RunKind, run: number, row: EventColumns): Record<string, unknown> {
  const { kind, events } = runKind;
  const id = eventId(run, row.counter);
  const { created, ...shown } = row;
  return {
    group_name: eventGroup(runKind),
    id,
    [kind]: run,
    ...shown,
    created,
    modified: created,
    url: events?.path ? `/api/v2/${events.path}/${id}` : '',
    seq: row.counter,
  };
}

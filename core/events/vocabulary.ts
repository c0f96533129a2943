/** Event types: level in the tree (0 playbook or free text, 1 play, 2 task, 3 host result), label, and whether they mean failure. */
interface EventType {
  level: 0 | 1 | 2 | 3;
  label: string;
  fails?: true;
}

const type = (level: EventType['level'], label: string): EventType => ({ level, label });
const failing = (level: EventType['level'], label: string): EventType => ({ level, label, fails: true });

export const eventTypes: Readonly<Record<string, EventType>> = {
  playbook_on_start: type(0, 'Playbook Started'),
  playbook_on_play_start: type(1, 'Play Started'),
  playbook_on_stats: type(1, 'Playbook Complete'),
  playbook_on_vars_prompt: type(1, 'Variables Prompted'),
  playbook_on_task_start: type(2, 'Task Started'),
  playbook_on_include: type(2, 'Including File'),
  playbook_on_notify: type(2, 'Handler Notified'),
  playbook_on_no_hosts_matched: type(2, 'No Hosts Matched'),
  playbook_on_no_hosts_remaining: type(2, 'No Hosts Remaining'),
  playbook_on_setup: type(2, 'Gathering Facts'),
  playbook_on_import_for_host: type(2, 'Host Imported'),
  playbook_on_not_import_for_host: type(2, 'Host Not Imported'),
  runner_on_start: type(3, 'Host Started'),
  runner_on_ok: type(3, 'Host OK'),
  runner_on_skipped: type(3, 'Host Skipped'),
  runner_on_failed: failing(3, 'Host Failed'),
  runner_on_unreachable: failing(3, 'Host Unreachable'),
  runner_item_on_ok: type(3, 'Item OK'),
  runner_item_on_skipped: type(3, 'Item Skipped'),
  runner_item_on_failed: failing(3, 'Item Failed'),
  runner_retry: type(3, 'Host Retried'),
  runner_on_file_diff: type(3, 'File Difference'),
  runner_on_async_poll: type(3, 'Host Polled'),
  runner_on_async_ok: type(3, 'Host Async OK'),
  runner_on_async_failed: failing(3, 'Host Async Failed'),
  runner_on_no_hosts: type(3, 'No Hosts Remaining'),
  runner_on_error: failing(3, 'Host Error'),
  verbose: type(0, 'Verbose'),
  debug: type(0, 'Debug'),
  deprecated: type(0, 'Deprecated'),
  warning: type(0, 'Warning'),
  system_warning: type(0, 'System Warning'),
  error: failing(0, 'Error'),
};

export const eventLevel = (event: string): number => eventTypes[event]?.level ?? 0;

/** Text between results: level 0, but not the playbook itself. */
export const isFreeText = (event: string): boolean => eventLevel(event) === 0 && event !== 'playbook_on_start';

/** The frame of the output: sent to every listener however fast events come. */
export const isStructural = (event: string): boolean => event.startsWith('playbook_on_');

/** What an event says of itself. */
export interface EventRow {
  event: string;
  play: string;
  task: string;
  role: string;
  event_data: Record<string, unknown> | null;
}

/** The label for people: plays and tasks carry their name, tasks of a role the role before it. */
export function eventDisplay({ event, play, task, role, event_data }: EventRow): string {
  const label = eventTypes[event]?.label ?? event;
  if (event === 'playbook_on_play_start' && play) return `${label} (${play})`;
  if (event !== 'playbook_on_task_start' || !task) return label;
  const name = role ? `${role} | ${task}` : task;
  return `${event_data?.is_conditional === true ? eventTypes.playbook_on_notify?.label : label} (${name})`;
}

/** Did the event fail or change something by itself? Ancestors get their flags when the statistics arrive. */
export function eventFlags(event: string, data: Record<string, unknown>): { failed: boolean; changed: boolean } {
  if (event === 'playbook_on_stats') {
    const some = (counts: unknown) =>
      typeof counts === 'object' && counts !== null && Object.values(counts).some((n) => Number(n) > 0);
    return { failed: some(data.failures) || some(data.dark), changed: some(data.changed) };
  }
  return {
    failed: eventTypes[event]?.fails === true && data.ignore_errors !== true,
    changed: (data.res as { changed?: unknown } | null | undefined)?.changed === true,
  };
}

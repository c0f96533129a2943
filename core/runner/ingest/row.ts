import { randomUUID } from 'node:crypto';
import { eventFlags, eventLevel } from '../../events/vocabulary.ts';
import type { SpoolEvent } from '../executor.ts';
import { safeJson, safeText } from '../../db/safe-text.ts';
import { nestsDeeper } from './json-text.ts';
import { type Masker, maskUrls } from './mask.ts';

/** A row of run_events before its counter and host are known. */
export interface EventRow {
  event: string;
  event_level: number;
  /** JSON text, ready for jsonb */
  event_data: string;
  failed: boolean;
  changed: boolean;
  uuid: string;
  parent_uuid: string;
  host_name: string;
  playbook: string;
  play: string;
  task: string;
  role: string;
  stdout: string;
  open_line: boolean;
  lines: number;
  verbosity: number;
  created: string;
}

export interface Line {
  row: Omit<EventRow, 'stdout' | 'open_line' | 'lines'>;
  /** the event's range in the stdout stream */
  from: number;
  to: number;
  /** parsed data of the closing statistics */
  stats: Record<string, unknown> | null;
}

/** Names that belong to the event itself: a secret that equals one must not break the event. */
const ownKeys = new Set([
  'uuid',
  'guid',
  'playbook',
  'playbook_uuid',
  'play',
  'play_uuid',
  'play_pattern',
  'task',
  'task_uuid',
  'task_action',
  'resolved_action',
  'task_args',
  'task_path',
  'role',
  'resolved_role',
  'name',
  'pattern',
  'is_conditional',
  'included_file',
  'host',
  'handler',
  'remote_addr',
  'res',
  'start',
  'end',
  'duration',
  'event_loop',
  'ignore_errors',
  'jid',
  'diff',
  'ok',
  'changed',
  'dark',
  'failures',
  'ignored',
  'processed',
  'rescued',
  'skipped',
  'artifact_data',
]);
const longestName = 1024;
const longestUuid = 255;
/** What nests deeper could be stored, but neither masked nor shown: that would take more stack than there is. */
const deepest = 500;

const name = (value: unknown, longest = longestName): string =>
  typeof value === 'string' ? safeText(value, longest) : '';

const timestamp = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)?$/;
const created = (value: unknown): string =>
  typeof value !== 'string' || !timestamp.test(value) || Number.isNaN(Date.parse(value))
    ? new Date().toISOString()
    : /(Z|[+-]\d\d:?\d\d)$/.test(value)
      ? value
      : `${value}Z`;

const offset = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : 0;

export interface LineOptions {
  masker: Masker;
  /** bytes of a result that are stored at most */
  maxResult: number;
  /** output of source control: credentials in URLs go too */
  hideUrls: boolean;
}

/** One line of the spool; null when it is not an event at all (torn, or the page of zeros that a crashed machine leaves). */
export function parseLine(text: string, { masker, maxResult, hideUrls }: LineOptions): Line | null {
  const parsed = parse(text);
  if (!parsed) return null;
  const data = maskedData(parsed, text, masker);
  const event = name(parsed.event);
  const closes = event === 'playbook_on_stats';
  const kept = text.length > maxResult ? withinLimit(data, maxResult, closes) : data;
  return {
    row: {
      event,
      event_level: eventLevel(event),
      ...eventFlags(event, isObject(parsed.event_data) ? parsed.event_data : {}),
      event_data: hideUrls ? maskUrls(dataText(kept)) : dataText(kept),
      uuid: name(parsed.uuid, longestUuid) || randomUUID(),
      parent_uuid: name(parsed.parent_uuid, longestUuid),
      host_name: name(data.host),
      playbook: name(data.playbook),
      play: name(data.play),
      task: name(data.task),
      role: name(data.role),
      verbosity: Math.min(offset(parsed.verbosity), 9),
      created: created(parsed.created),
    },
    from: offset(parsed.from),
    to: offset(parsed.to),
    stats: closes ? kept : null,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parse(text: string): SpoolEvent | null {
  try {
    const value = JSON.parse(text);
    return typeof value?.event === 'string' ? value : null;
  } catch {
    return null;
  }
}

function maskedData({ event_data: data }: SpoolEvent, text: string, masker: Masker): Record<string, unknown> {
  if (!isObject(data) || (text.length > 2 * deepest && nestsDeeper(text, deepest))) return {};
  if (!masker.inJson(text)) return data;
  try {
    return masker.value(data, ownKeys) as Record<string, unknown>;
  } catch {
    // nested deeper than the stack is high: rather no data than an unmasked secret
    return {};
  }
}

/** An event's names, arguments and times besides its result. */
const besidesResult = 65_536;

/** What playbooks and hosts may make as large as they like; the closing statistics grow with the number of hosts only. */
function withinLimit(data: Record<string, unknown>, most: number, closes: boolean): Record<string, unknown> {
  const exceeds = (value: unknown, limit: number) => value !== undefined && Buffer.byteLength(dataText(value)) > limit;
  const kept = { ...data };
  if (exceeds(data.res, most)) kept.res = {};
  if (exceeds(data.artifact_data, most))
    kept.artifact_data = { left_out: `more than the ${most} bytes of MAX_EVENT_RES_DATA` };
  if (closes || !exceeds(kept, most + besidesResult)) return kept;
  const { res: _, ...rest } = kept;
  return exceeds(rest, most) ? {} : { ...rest, ...('res' in kept && { res: {} }) };
}

/** Data that cannot be written as JSON (nested thousands deep) is dropped, never the event. */
function dataText(data: unknown): string {
  try {
    return safeJson(data);
  } catch {
    return '{}';
  }
}

/** The final newline is left to be added again; `open_line` marks text that had none. */
export function textColumns(text: string): Pick<EventRow, 'stdout' | 'open_line' | 'lines'> {
  const closed = text.endsWith('\n');
  return {
    stdout: safeText(closed ? text.slice(0, -1) : text),
    open_line: text !== '' && !closed,
    lines: newlines(text),
  };
}

function newlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** Output that no event claimed. */
export function verboseRow(text: string): EventRow {
  return {
    event: 'verbose',
    event_level: 0,
    event_data: '{}',
    failed: false,
    changed: false,
    uuid: randomUUID(),
    parent_uuid: '',
    host_name: '',
    playbook: '',
    play: '',
    task: '',
    role: '',
    verbosity: 0,
    created: new Date().toISOString(),
    ...textColumns(text),
  };
}

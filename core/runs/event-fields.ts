import { type Resource, type Row, type Sublist, field } from '@tapline/plugin-sdk';
import { eventIdSql, eventKey } from '../events/event-id.ts';
import { truncateText } from '../events/truncate.ts';
import { eventDisplay, type EventRow } from '../events/vocabulary.ts';
import type { Settings } from '../settings/settings.ts';

/** A colour may begin or end within what somebody looks for. */
const withoutColours = `case when strpos({alias}.stdout, chr(27)) = 0 then {alias}.stdout
  else regexp_replace({alias}.stdout, chr(27) || '\\[[0-9;]*[A-Za-z]', '', 'g') end`;

/** What events of every kind of run have. */
export const eventFields = {
  event: field.string({ mode: 'ro' }),
  counter: field.integer({ mode: 'ro' }),
  event_display: field.computed({ compute: (row) => eventDisplay(row as unknown as EventRow) }),
  event_data: field.json({ mode: 'ro' }),
  failed: field.boolean({ mode: 'ro' }),
  changed: field.boolean({ mode: 'ro' }),
  uuid: field.string({ mode: 'ro' }),
  host_name: field.string({ mode: 'ro' }),
  playbook: field.string({ mode: 'ro' }),
  play: field.string({ mode: 'ro' }),
  task: field.string({ mode: 'ro' }),
  role: field.string({ mode: 'ro' }),
  stdout: field.text({ mode: 'ro', searchSql: withoutColours }),
  // both orders are the same within a run, and the key serves this one
  start_line: field.integer({ mode: 'ro', orderSql: '{alias}.counter' }),
  end_line: field.integer({ mode: 'ro' }),
  verbosity: field.integer({ mode: 'ro' }),
};

/** Below what runs of several kinds leave events on: those of one. Superusers see all that a list does not leave out itself. */
export const onlyOf =
  (kind: string): NonNullable<Sublist['where']> =>
  (builder, _parent, alias) =>
    void builder.whereRaw(`exists (select from runs r where r.id = "${alias}".run_id and r.kind = ?)`, [kind]);

/** What lists of events of every kind of run do alike. */
export const eventLists = (settings: Settings) =>
  ({
    table: 'run_events',
    root: false,
    methods: { list: [], detail: ['GET'] },
    identity: { sql: eventIdSql, columns: eventKey },
    orderBy: ['start_line'],
    search: ['stdout'],
    limitParameter: true,
    listHeaders: () => ({ 'X-UI-Max-Events': String(settings.get('MAX_UI_JOB_EVENTS')) }),
    extraSql: { run_kind: '(select kind from runs where id = {alias}.run_id)' },
    present(shown, row: Row & { event: string }, view, call) {
      if (view === 'list' && !row.event.startsWith('playbook_on_') && !call.query.get('no_truncate')) {
        shown['stdout'] = truncateText(String(shown['stdout']), Number(settings.get('EVENT_STDOUT_MAX_BYTES_DISPLAY')));
      }
    },
  }) satisfies Partial<Resource>;

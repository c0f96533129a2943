import { defineResource, field, parameter, type PluginApi, type Resource } from '@tapline/plugin-sdk';
import { accessOf } from '../access.ts';
import { statuses } from '../rule.ts';
import { replayAction, retryAction } from './replay-actions.ts';

const ro = { mode: 'ro' } as const;

/** What came in and what became of it; never changed by anybody (specification, EventLog). */
export function eventLogResource(api: PluginApi, queue: () => void): Resource {
  const { manage, see } = accessOf(api);
  return defineResource({
    type: 'event_log',
    path: 'event_logs',
    table: 'event_logs',
    label: 'Event log',
    description: 'An event that came in, and what became of it.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see },
    stream: false,
    orderBy: ['-id'],
    search: ['event_rule_name', 'event_type', 'event_guid'],
    fields: fieldsOf(api.table('payloads')),
    related: (row) => ({ unified_job: row['job_id'] ? `/api/v2/unified_jobs/?id=${String(row['job_id'])}` : null }),
    parameters: { since: parameter.since('created') },
    actions: { replay: replayAction(api, manage, queue) },
    listActions: { retry: retryAction(api, manage, queue) },
  });
}

function fieldsOf(payloads: string) {
  const ofPayload = (column: string) => `(select p.${column} from ${payloads} p where p.id = {alias}.payload_id)`;
  return {
    event_rule: field.ref('event_rule', ro),
    event_rule_name: field.string({ ...ro, help: 'Kept when the rule is gone.' }),
    organization: field.ref('organization', ro),
    source_type: field.string(ro),
    source_ip: field.string({ ...ro, help: 'Who sent it; behind proxies as PROXY_IP_ALLOWED_LIST says.' }),
    event_type: field.string(ro),
    event_guid: field.string({ ...ro, help: "The sender's own name of the event, or one that was made." }),
    duplicates: field.integer({ ...ro, help: 'How often it came again and was refused.' }),
    payload: field.json({
      ...ro,
      sql: `coalesce(${ofPayload('body')}, '{}')`,
      filterable: false,
      detailOnly: true,
      apiType: 'json',
    }),
    payload_bytes: field.integer({ ...ro, sql: `coalesce(${ofPayload('bytes')}, 0)` }),
    payload_truncated: field.boolean({
      ...ro,
      sql: `coalesce(${ofPayload('truncated')}, false)`,
      help: 'The payload was dropped to save space.',
    }),
    headers: field.json({ ...ro, filterable: false }),
    conditions_matched: field.boolean(ro),
    condition_results: field.list({ ...ro, filterable: false }),
    actions_triggered: field.list({ ...ro, filterable: false }),
    status: field.choice(statuses, ro),
    error: field.text({ ...ro, help: 'Why it is an error, or was not judged.' }),
    job_id: field.integer({ ...ro, nullable: true, help: 'The first run that it launched.' }),
    replay_of: field.ref('event_log', { ...ro, help: 'The event that it is evaluated again of.' }),
    created: field.datetime(ro),
    finished: field.datetime({ ...ro, nullable: true, help: 'When it was done with.' }),
  };
}

import {
  authenticated,
  defineResource,
  field,
  type PluginApi,
  type Resource,
  type Row,
  ValidationError,
} from '@tapline/plugin-sdk';
import type { Window } from '../calendar.ts';
import { checkWindows, isZone } from './check-windows.ts';
import { spansAction } from './spans-action.ts';

const windowsHelp =
  'A list of { rrule, duration }: when each begins (DTSTART and rules, as schedules have them; a DTSTART without zone is of the ' +
  'timezone) and how long it lasts (PT8H, P2D). Windows of one rule must not overlap.';

const linked = (api: PluginApi, what: string, resource: string) => ({
  resource,
  through: { table: api.table(`${what}_calendars`), parent: 'calendar_id', child: `${what}_id` },
});

/** Read by who reads its organization, changed by those who administer that. */
export function calendarResource(api: PluginApi): Resource {
  const organization = (role: string) => api.rules.parent('organization_id', 'organization', role);
  const administers = organization('admin_role');
  return defineResource({
    type: 'calendar',
    path: 'calendars',
    table: 'calendars',
    label: 'Calendar',
    description: 'Windows of time in which launches are allowed, or denied, wherever it is bound.',
    access: { see: organization('read_role'), create: administers, change: administers, delete: administers },
    orderBy: ['name', 'id'],
    search: ['name', 'description'],
    naming: ['name', 'organization'],
    unique: {
      calendars_name: { field: '__all__', message: 'Calendar with this Name and Organization already exists.' },
    },
    fields: {
      name: field.string({ required: true }),
      description: field.text(),
      organization: field.ref('organization', { required: true, nullable: false }),
      kind: field.choice(
        [
          ['deny', 'Deny'],
          ['allow', 'Allow'],
        ],
        { required: true, help: 'deny: nothing starts within its windows. allow: nothing starts outside of them.' },
      ),
      timezone: field.string({ default: 'UTC', max: 100, help: 'Whose clocks count where a window names no zone.' }),
      windows: field.list({ required: true, filterable: false, help: windowsHelp }),
    },
    sublists: {
      organizations: linked(api, 'organization', 'organization'),
      inventories: linked(api, 'inventory', 'inventory'),
      unified_job_templates: linked(api, 'template', 'unified_job_template'),
    },
    actions: { spans: spansAction(api, authenticated) },
    async validate({ input, before }) {
      if (!before || 'timezone' in input || 'windows' in input) await check(api, { ...before, ...input } as Row);
    },
  });
}

async function check(api: PluginApi, row: Row): Promise<void> {
  const timezone = String(row['timezone']);
  if (!isZone(timezone)) throw ValidationError.field('timezone', `There is no zone "${timezone.slice(0, 100)}".`);
  await checkWindows(api, row['windows'] as readonly Window[], timezone);
}

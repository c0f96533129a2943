import { defineResource, field, type Resource, type Rule, type Sublist } from '@tapline/plugin-sdk';
import { ofSeenRun, type Visible } from '../../runs/access.ts';
import { eventFields, eventLists, onlyOf } from '../../runs/event-fields.ts';
import type { Settings } from '../../settings/settings.ts';

const kind = 'ad_hoc_command';

/** Events of every kind of run share a table: those of another kind are not there, for superusers neither. */
const ofCommand = (see: Rule): Rule => ({
  ...see,
  row: async (actor, row, db) => row.run_kind === kind && (await see.row(actor, row, db)),
});

const { playbook: _playbook, play: _play, task: _task, role: _role, ...fields } = eventFields;

/** contract/jobs.md §13.7 */
export const commandEventResource = ({ settings, visible }: { settings: Settings; visible: Visible }): Resource =>
  defineResource({
    ...eventLists(settings),
    type: 'ad_hoc_command_event',
    path: 'ad_hoc_command_events',
    label: 'Ad hoc command event',
    description: 'What came of an ad hoc command on a host, or a text in between.',
    access: { see: ofCommand(ofSeenRun(visible, { kind })) },
    orderBy: ['-start_line'],
    fields: {
      ad_hoc_command: field.ref(kind, { mode: 'ro', column: 'run_id' }),
      ...fields,
      host: field.ref('host', { mode: 'ro' }),
    },
  });

/** For the descriptors of commands and of hosts. */
export const commandEvents: Sublist = { resource: 'ad_hoc_command_event', column: 'run_id' };
export const hostCommandEvents: Sublist = {
  resource: 'ad_hoc_command_event',
  column: 'host_id',
  orderBy: ['-id'],
  where: onlyOf(kind),
};

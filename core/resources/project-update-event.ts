import { type Resource, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import type { CorePermissions } from '../rbac/permissions.ts';
import type { Settings } from '../settings/settings.ts';
import { commonFields, eventLists } from './job-event.ts';

/** Listed below its project update only: it has no address of its own. */
export const projectUpdateEventResource = ({
  settings,
  permissions,
}: {
  settings: Settings;
  permissions: CorePermissions;
}): Resource => {
  const shared = eventLists(settings);
  return defineResource({
    ...shared,
    type: 'project_update_event',
    path: 'project_update_events',
    label: 'Project update event',
    description: 'One step of an update of a project.',
    methods: { list: [], detail: [] },
    access: permissions.project_update_event,
    fields: {
      project_update: field.ref('project_update', { mode: 'ro', column: 'run_id' }),
      ...commonFields,
      event_level: field.integer({ mode: 'ro' }),
    },
    present(shown, row, view, call) {
      shown.url = '';
      shown.host_name ||= 'localhost';
      shared.present(shown, row, view, call);
    },
  });
};

export const projectUpdateEvents: Sublist = { resource: 'project_update_event', column: 'run_id' };

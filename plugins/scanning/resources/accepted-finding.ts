import { defineResource, field, type PluginApi, type Resource, via } from '@tapline/plugin-sdk';

const ro = { mode: 'ro' } as const;

/** Who may do what with it is as with its scanner. */
export function acceptedFindingResource(api: PluginApi): Resource {
  const ofScanner = (role: string, alsoEmpty = false) =>
    via('scanner_id', api.table('scanners'), api.rules.parent('organization_id', 'organization', role, { alsoEmpty }));
  return defineResource({
    type: 'accepted_finding',
    path: 'accepted_findings',
    table: 'accepted',
    label: 'Accepted finding',
    description: 'What a scanner finds in a project and what does not count, and why. Deleted, it counts again.',
    methods: { list: ['GET'], detail: ['GET', 'DELETE'] },
    access: { see: ofScanner('read_role', true), delete: ofScanner('admin_role') },
    orderBy: ['-id'],
    search: ['rule_id', 'file_path', 'message', 'reason'],
    fields: {
      scanner: field.ref('scanner', ro),
      project: field.ref('project', ro),
      rule_id: field.string(ro),
      file_path: field.text(ro),
      message: field.text(ro),
      times: field.integer({ ...ro, help: 'So many of the same rule, file and message do not count; one more does.' }),
      reason: field.text(ro),
      created: field.datetime(ro),
      created_by: field.ref('user', ro),
    },
  });
}

import { type Resource, t } from '@tapline/console-kit';
import { exportLink } from './export-link.tsx';

export const auditEvent: Resource = {
  path: 'audit',
  api: 'audit_events',
  type: 'audit_event',
  one: t`event`,
  many: t`audit`,
  intro: t`What was done, by whom and from where: logins, changes, launches, refusals.`,
  order: '-id',
  nameField: 'action',
  columns: ['action', 'object_type', 'object_name', 'actor_name', 'ip', 'created'],
  filters: ['action', 'actor', 'object_type', 'object_name', 'ip', 'organization', 'created', 'request_id'],
  fields: [
    'action',
    'created',
    'actor_name',
    'ip',
    'object_type',
    'object_name',
    'before',
    'after',
    'details',
    'request_id',
    'node',
  ],
  readOnly: true,
  listActions: exportLink('audit_events', '-id'),
};

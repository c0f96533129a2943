import { defineResource, field, parameter, type Resource } from '@tapline/plugin-sdk';
import { auditFormats } from '../../audit/export.ts';
import { parent } from '../../rbac/role-rules.ts';
import { anyOf, auditor } from '../../rbac/rules.ts';

const ro = { mode: 'ro' } as const;

export const auditEventResource = (): Resource =>
  defineResource({
    type: 'audit_event',
    path: 'audit_events',
    table: 'audit_events',
    label: 'Audit event',
    description:
      'What was done, by whom, from where, with the values before and after: logins, failed ones, changes, launches, denials, uses of credentials. Never changed.',
    fields: {
      action: field.string({ ...ro, help: 'What was done: create, update, delete, associate, login, launch …' }),
      actor: field.ref('user', {
        ...ro,
        help: 'Who did it; empty for the service itself, and for who proved to be nobody.',
      }),
      actor_name: field.string({ ...ro, help: 'The name of that user then, or the one that was tried.' }),
      ip: field.string({ ...ro, label: 'IP address', help: 'From where.' }),
      request_id: field.string({ ...ro, label: 'Request ID', help: 'The X-Request-Id of the answer.' }),
      node: field.string({ ...ro, help: 'The node that did it.' }),
      organization: field.ref('organization', ro),
      object_type: field.string({ ...ro, help: 'The type of what it was done to.' }),
      object_id: field.integer({ ...ro, nullable: true, label: 'Object ID' }),
      object_name: field.string(ro),
      before: field.json({ ...ro, nullable: true, help: 'Values that were replaced or deleted.' }),
      after: field.json({ ...ro, nullable: true, help: 'Values that were set.' }),
      details: field.json({ ...ro, nullable: true, help: 'What else there is to say.' }),
      seal: field.string({
        ...ro,
        nullable: true,
        filterable: false,
        sql: `(select encode(s.hash, 'hex') from audit_seals s where s.event_id = {alias}.id)`,
        help: 'The hash of this event and the one before it; empty until it is sealed, a minute at most.',
      }),
    },
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see: anyOf(auditor, parent('organization_id', 'organization', 'admin_role')) },
    orderBy: ['id'],
    search: ['action', 'actor_name', 'object_name'],
    parameters: { since: parameter.since('created') },
    formats: auditFormats,
  });

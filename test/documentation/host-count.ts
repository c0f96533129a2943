import { field, type RunKind } from '@tapline/plugin-sdk';
import { auditor, superuser } from '../../core/rbac/rules.ts';
import { type TemplateDeps, templateResource } from '../../core/runs/templates/resource.ts';

export function hostCountKind(services: TemplateDeps): RunKind {
  const kind: RunKind = {
    kind: 'host_count',
    template: 'host_count_template',
    needs: 'task',
    noted: true,
    access: { see: auditor, cancel: superuser, delete: superuser },
    resource: {
      path: 'host_counts',
      label: 'Host count',
      description: 'A count of the hosts of all inventories.',
      fields: { hosts: field.integer({ mode: 'ro', nullable: true, sql: `({alias}.data->>'hosts')::integer` }) },
    },
    async plan({ db, template }) {
      const { id, name } = await db('templates').where({ id: template }).first();
      return { columns: { template_id: id, name }, locks: { holds: ['host_count'], waitsFor: ['host_count'] } };
    },
    async work(_run, { write }) {
      const hosts = await services.db('hosts').pluck('id');
      await write(`${hosts.length} hosts`);
      return { columns: { data: { hosts: hosts.length } } };
    },
  };
  const templates = templateResource(services, kind, {
    type: 'host_count_template',
    launch: superuser,
    resource: {
      path: 'host_count_templates',
      label: 'Host count template',
      description: 'What counts hosts when it is launched.',
      access: { see: auditor, create: superuser, change: superuser, delete: superuser },
      fields: {},
    },
  });
  return { ...kind, resources: [templates] };
}

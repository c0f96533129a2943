import { defineResource, field, type PluginApi, type Resource } from '@tapline/plugin-sdk';

/** A template that must not be launched for now. Who may read the template sees its hold; who administers it may set it. */
export function holdResource({ rules }: PluginApi): Resource {
  const template = (role: string) => rules.parent('job_template_id', 'job_template', role);
  return defineResource({
    type: 'sample_plugin_hold',
    path: 'sample_plugin_holds',
    table: 'holds',
    label: 'Hold',
    fields: {
      job_template: field.ref('job_template', { required: true, nullable: false, help: 'What is held.' }),
      reason: field.text({ required: true, help: 'Told to whoever launches it.' }),
    },
    access: {
      see: template('read_role'),
      create: template('admin_role'),
      change: template('admin_role'),
      delete: template('admin_role'),
    },
    orderBy: ['id'],
    search: ['reason'],
    unique: { holds_job_template_id_unique: { field: 'job_template', message: 'This template is held already.' } },
  });
}

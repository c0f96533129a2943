import type { Resource } from '@tapline/console-kit';

export const instance: Resource = {
  path: 'instances',
  type: 'instance',
  one: 'instance',
  many: 'instances',
  nameField: 'hostname',
  order: 'hostname',
  intro: 'Processes that carry out runs.',
  columns: ['hostname', 'node_state', 'capacity', 'jobs_running', 'enabled'],
  readOnly: true,
};

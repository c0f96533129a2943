import { defineResource, field } from '@tapline/plugin-sdk';
import { auditor, superuser } from '../../core/rbac/rules.ts';

export const shelfResource = defineResource({
  type: 'shelf',
  path: 'shelves',
  table: 'shelves',
  label: 'Shelf',
  fields: {
    name: field.string({ required: true }),
    description: field.text(),
    organization: field.ref('organization', { required: true }),
    size: field.integer({ min: 0, default: 10 }),
  },
  access: { see: auditor, create: superuser, change: superuser, delete: superuser },
  capabilities: { edit: 'change', delete: 'delete' },
  stream: true,
  orderBy: ['name'],
  related: (row) => ({ floor: `/floors/${Math.ceil(row.size / 10)}/` }),
});

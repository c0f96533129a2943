import { type Route, field } from '@tapline/plugin-sdk';
import { bulkHostCreate } from './host-create.ts';
import { bulkHostDelete } from './host-delete.ts';
import type { BulkServices } from './read.ts';
import { authenticated } from '../../../rbac/rules.ts';

export const bulkRoutes = (services: BulkServices): Route[] => [
  {
    path: '/api/v2/bulk/',
    root: 'bulk',
    summary: 'What can be done to many records at once',
    access: { GET: authenticated },
    answers: {
      GET: { fields: { host_create: field.string(), host_delete: field.string(), job_launch: field.string() } },
    },
    handler: async () => ({
      status: 200,
      body: {
        host_create: '/api/v2/bulk/host_create/',
        host_delete: '/api/v2/bulk/host_delete/',
        job_launch: '/api/v2/bulk/job_launch/',
      },
    }),
  },
  bulkHostCreate(services),
  bulkHostDelete(services),
];

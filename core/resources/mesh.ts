import type { Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { auditor } from '../rbac/rules.ts';

/** The nodes as a graph. They talk to each other through the database only, so nothing links them. */
export const meshRoute = ({ db }: { db: Knex }): Route => ({
  path: '/api/v2/mesh_visualizer/',
  root: 'mesh_visualizer',
  summary: 'Nodes and what links them',
  access: { GET: auditor },
  handler: async () => ({
    status: 200,
    body: {
      nodes: await db('instances').select('id', 'hostname', 'node_type', 'node_state', 'enabled').orderBy('id'),
      links: [],
    },
  }),
});

import type { Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, integer, listOf, record, text } from '../../descriptors/describe/json-schema.ts';
import { stateSql } from '../../nodes/living.ts';
import { auditor } from '../../rbac/rules.ts';

const shown = record({
  nodes: listOf(record({ id: integer, hostname: text, node_type: text, node_state: text, enabled: flag })),
  links: { ...listOf({}), maxItems: 0 },
});

/** The nodes as a graph. They talk to each other through the database only, so nothing links them. */
export const meshRoute = ({ db }: { db: Knex }): Route => ({
  path: '/api/v2/mesh_visualizer/',
  root: 'mesh_visualizer',
  summary: 'Nodes and what links them',
  access: { GET: auditor },
  answers: { GET: { schema: shown } },
  handler: async () => ({
    status: 200,
    body: {
      nodes: await db('instances')
        .select('id', 'hostname', 'node_type', 'enabled', { node_state: db.raw(stateSql('instances')) })
        .orderBy('id'),
      links: [],
    },
  }),
});

import type { Route } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { flag, integer, listOf, orNull, record, text } from '../../descriptors/describe/json-schema.ts';
import { capacitySql } from '../../nodes/living.ts';
import { everybody } from '../../rbac/rules.ts';
import { installUuid } from './service-index.ts';

interface Deps {
  db: Knex;
  config: { version: string; nodeName: string };
}

const shown = record({
  ha: { ...flag, description: 'Whether several nodes serve it.' },
  version: text,
  active_node: { ...text, description: 'The node that answers.' },
  install_uuid: text,
  instances: listOf(
    record({
      node: text,
      node_type: text,
      uuid: text,
      heartbeat: orNull({ type: 'string', format: 'date-time' }),
      capacity: integer,
      version: text,
    }),
  ),
  instance_groups: listOf(record({ name: text, capacity: integer, instances: listOf(text) })),
});

/** Public: is the service there, and which nodes serve it. */
export const pingRoute = ({ db, config }: Deps): Route => ({
  path: '/api/v2/ping/',
  root: 'ping',
  summary: 'Nodes and version',
  access: { GET: everybody },
  answers: { GET: { schema: shown } },
  async handler() {
    const instances = await db('instances')
      .select({ node: 'hostname' }, 'node_type', 'uuid', { heartbeat: 'last_seen' })
      .select({ capacity: db.raw(capacitySql('instances')) }, 'version')
      .whereNot('node_type', 'hop')
      .orderBy('hostname');
    return {
      status: 200,
      body: {
        ha: instances.length > 1,
        version: config.version,
        active_node: config.nodeName,
        install_uuid: await installUuid(db),
        instances,
        instance_groups: await groupsOf(db),
      },
    };
  },
});

async function groupsOf(db: Knex): Promise<unknown[]> {
  const { rows } = await db.raw(
    `select g.name, coalesce(sum(${capacitySql('i')}) filter (where i.enabled), 0)::integer as capacity,
       coalesce(json_agg(i.hostname order by i.hostname) filter (where i.id is not null), '[]') as instances
     from instance_groups g left join instance_group_instances m on m.instance_group_id = g.id left join instances i on i.id = m.instance_id
     group by g.id order by lower(g.name), g.id`,
  );
  return rows;
}

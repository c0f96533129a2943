import { ApiError, defineResource, field, type Resource } from '@tapline/plugin-sdk';
import { totalCapacity } from '../dispatch/capacity.ts';
import { NODE_DEAD_AFTER_S } from '../dispatch/situation.ts';
import type { CorePermissions } from '../rbac/permissions.ts';

const ro = { mode: 'ro' } as const;
const consumed = `(select coalesce(sum(impact), 0) from runs where instance_id = {alias}.id and status in ('waiting', 'running'))::integer`;

/** A node that died cannot write so itself: whoever looks sees it by its silence. */
const silent = `({alias}.last_seen < now() - interval '${NODE_DEAD_AFTER_S} seconds')`;
const states = [
  'provisioning',
  'provision-fail',
  'installed',
  'ready',
  'unavailable',
  'deprovisioning',
  'deprovision-fail',
] as const;

const remaining = (row: any): number =>
  row.capacity ? Math.max(0, Math.round(((row.capacity - row.consumed_now) / row.capacity) * 10_000) / 100) : 0;

const instanceFields = {
  hostname: field.string(ro),
  uuid: field.string({ ...ro, sql: '{alias}.uuid::text' }),
  last_seen: field.datetime({ ...ro, nullable: true }),
  health_check_started: field.computed({ compute: () => null, apiType: 'datetime' }),
  health_check_pending: field.computed({ compute: () => false, apiType: 'boolean' }),
  last_health_check: field.datetime({ ...ro, nullable: true }),
  errors: field.text({
    ...ro,
    sql: `(case when ${silent} then concat_ws(E'\\n', nullif({alias}.errors, ''), 'The node is not heard of any more.') else {alias}.errors end)`,
  }),
  capacity_adjustment: field.decimal({ min: 0, max: 1, default: 1 }),
  version: field.string(ro),
  engine: field.string({ ...ro, help: 'Version of the automation engine on this node.' }),
  capacity: field.integer(ro),
  consumed_capacity: field.integer({ ...ro, sql: consumed, filterable: false }),
  percent_capacity_remaining: field.computed({ compute: remaining }),
  jobs_running: field.integer({
    ...ro,
    filterable: false,
    sql: `(select count(*) from runs where instance_id = {alias}.id and status in ('waiting', 'running'))`,
  }),
  jobs_total: field.integer({
    ...ro,
    filterable: false,
    sql: '(select count(*) from runs where instance_id = {alias}.id)',
  }),
  cpu: field.decimal(ro),
  memory: field.integer(ro),
  cpu_capacity: field.integer(ro),
  mem_capacity: field.integer(ro),
  enabled: field.boolean({ default: true }),
  managed_by_policy: field.computed({ compute: () => true, apiType: 'boolean' }),
  node_type: field.choice(['control', 'execution', 'hybrid', 'hop'], ro),
  node_state: field.choice(states, {
    ...ro,
    sql: `(case when ${silent} and {alias}.node_state = 'ready' then 'unavailable' else {alias}.node_state end)`,
  }),
  ip_address: field.string(ro),
  listener_port: field.computed({ compute: () => null, apiType: 'integer' }),
  managed: field.computed({ compute: () => false, apiType: 'boolean' }),
  peers: field.computed({ compute: () => [] }),
  reverse_peers: field.computed({ compute: () => [] }),
  peers_from_control_nodes: field.computed({ compute: () => false, apiType: 'boolean' }),
  protocol: field.computed({ compute: () => '' }),
};

export const instanceResource = ({ permissions }: { permissions: CorePermissions }): Resource =>
  defineResource({
    type: 'instance',
    path: 'instances',
    table: 'instances',
    label: 'Instance',
    description: 'A node of the service, its capacity and the runs that it carries out.',
    methods: { list: ['GET'], detail: ['GET', 'PUT', 'PATCH'] },
    access: permissions.instance,
    orderBy: ['id'],
    search: ['hostname'],
    naming: ['hostname'],
    summary: ['id', 'hostname'],
    extraSql: { consumed_now: consumed },
    fields: instanceFields,
    sublists: {
      jobs: { resource: 'unified_job', column: 'instance_id' },
      instance_groups: {
        resource: 'instance_group',
        through: { table: 'instance_group_instances', parent: 'instance_id', child: 'instance_group_id' },
        attach: true,
        check: async (_trx, { node_type: type }) => {
          if (type === 'execution' || type === 'hybrid') return;
          throw new ApiError(400, { msg: `A ${type} node carries out nothing, so it belongs to no instance group.` });
        },
      },
    },
    validate({ input, before }) {
      if (!before || input['capacity_adjustment'] === undefined) return;
      input['capacity'] = totalCapacity(before.cpu_capacity, before.mem_capacity, Number(input['capacity_adjustment']));
    },
  });

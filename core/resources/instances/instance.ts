import { type Access, ApiError, defineResource, field, type Resource, type Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { awaitedList } from '../../descriptors/read/awaited-list.ts';
import { totalCapacity } from '../../nodes/capacity.ts';
import { applyGroupPolicies } from '../../nodes/group-policies.ts';
import { capacitySql, errorsSql, stateSql } from '../../nodes/living.ts';
import { runBuilt } from '../../db/prepared.ts';
import { parent } from '../../rbac/role-rules.ts';
import { joinByHand, leaveByHand } from './group-members.ts';
import { healthCheckAction } from './health-check.ts';
import { installBundleAction } from './install-bundle.ts';
import { anyOf, auditor, connection, type CoreRule, superuser } from '../../rbac/rules.ts';

const ro = { mode: 'ro' } as const;
const consumed = `(select coalesce(sum(impact), 0) from runs where instance_id = {alias}.id and status in ('waiting', 'running'))::integer`;

const states = [
  'provisioning',
  'provision-fail',
  'installed',
  'ready',
  'unavailable',
  'deprovisioning',
  'deprovision-fail',
] as const;

const remaining = (row: Row & { capacity: number; consumed_now: number }): number =>
  row.capacity ? Math.max(0, Math.round(((row.capacity - row.consumed_now) / row.capacity) * 10_000) / 100) : 0;

const instanceFields = {
  hostname: field.string({ mode: 'create', required: true }),
  uuid: field.string({ ...ro, sql: '{alias}.uuid::text' }),
  last_seen: field.datetime({ ...ro, nullable: true }),
  health_check_started: field.computed({ compute: () => null, apiType: 'datetime' }),
  health_check_pending: field.computed({ compute: () => false, apiType: 'boolean' }),
  last_health_check: field.datetime({ ...ro, nullable: true }),
  errors: field.text({ ...ro, sql: errorsSql('{alias}') }),
  capacity_adjustment: field.decimal({ min: 0, max: 1, default: 1 }),
  version: field.string(ro),
  engine: field.string({ ...ro, help: 'Version of the automation engine on this node.' }),
  capacity: field.integer({ ...ro, sql: capacitySql('{alias}') }),
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
  managed_by_policy: field.boolean({ default: true, help: 'Instance groups may take it in by their policies.' }),
  node_type: field.choice(['control', 'execution', 'hybrid', 'hop'], ro),
  node_state: field.choice(states, { ...ro, sql: stateSql('{alias}') }),
  ip_address: field.string(ro),
  listener_port: field.computed({ compute: () => null, apiType: 'integer' }),
  managed: field.computed({ compute: () => false, apiType: 'boolean' }),
  peers: field.computed({ compute: () => [] }),
  reverse_peers: field.computed({ compute: () => [] }),
  peers_from_control_nodes: field.computed({ compute: () => false, apiType: 'boolean' }),
  protocol: field.computed({ compute: () => '' }),
};

const group = parent('instance_group_id', 'instance_group', 'read_role');
const ofVisibleGroup: CoreRule = {
  name: 'member of a visible instance group',
  row: async (actor, row, db) => {
    const known = connection(db, 'instance groups');
    const links = known
      .from('instance_group_instances as g')
      .select('g.instance_id')
      .where('g.instance_id', Number(row['id']))
      .limit(1);
    group.query(actor, links, 'g');
    return (await runBuilt(known, links)).length > 0;
  },
  query: (actor, builder, alias) =>
    void builder.whereIn(`${alias}.id`, (inner) => {
      inner.select(`${alias}_g.instance_id`).from(`instance_group_instances as ${alias}_g`);
      group.query(actor, inner, `${alias}_g`);
    }),
};

const access = { see: anyOf(auditor, ofVisibleGroup), create: superuser, change: superuser } satisfies Access;

/** POST is there for clients that would enter a node by hand, as AWX takes it in clusters only: nobody could enter one here. */
const entersItself = () =>
  Promise.reject(
    new ApiError(400, {
      __all__: ['A node enters itself when it is started (README, "Scaling out"), and in no other way.'],
    }),
  );

export const instanceResource = (deps: { db: Knex }): Resource =>
  defineResource({
    type: 'instance',
    path: 'instances',
    table: 'instances',
    label: 'Instance',
    description: 'A node of the service, its capacity and the runs that it carries out.',
    methods: { list: ['GET', 'POST'], detail: ['GET', 'PUT', 'PATCH'] },
    access,
    capabilities: { edit: 'change' },
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
        check: (trx, node, group) => joinByHand(trx, group as never, node as never),
        checkDetach: (trx, node, group) => leaveByHand(trx, group as never, node as never),
      },
    },
    actions: {
      health_check: healthCheckAction(deps),
      install_bundle: installBundleAction,
      peers: awaitedList(access.see, 'peers'),
      receptor_addresses: awaitedList(access.see, 'addresses'),
    },
    insert: entersItself,
    validate({ input, before }) {
      if (!before || input['capacity_adjustment'] === undefined) return;
      input['capacity'] = totalCapacity(before.cpu_capacity, before.mem_capacity, Number(input['capacity_adjustment']));
    },
    afterUpdate: ({ trx }) => applyGroupPolicies(trx),
  });

import { type Resource, defineResource, field } from '@tapline/plugin-sdk';
import { assertNoActiveRuns } from '../engine/active-runs.ts';
import type { CorePermissions } from '../rbac/permissions.ts';
import { superuser } from '../rbac/rules.ts';

const ro = { mode: 'ro', filterable: false } as const;
const members = 'select m.instance_id from instance_group_instances m where m.instance_group_id = {alias}.id';
const ofMembers = (sum: string) =>
  `(select coalesce(sum(${sum}), 0)::integer from instances i where i.enabled and i.id in (${members}))`;
const runs = (more: string) => `(select count(*)::integer from runs r where r.instance_id in (${members})${more})`;
const active = ` and r.status in ('waiting', 'running')`;
const consumed = `(select coalesce(sum(r.impact), 0)::integer from runs r where r.instance_id in (${members})${active})`;

const fields = {
  name: field.string({ required: true, max: 250 }),
  capacity: field.integer({ ...ro, sql: ofMembers('i.capacity') }),
  consumed_capacity: field.integer({ ...ro, sql: consumed }),
  percent_capacity_remaining: field.computed({
    compute: ({ capacity, consumed_capacity: used }) =>
      capacity ? Math.max(0, Math.round(((capacity - used) / capacity) * 10_000) / 100) : 0,
  }),
  jobs_running: field.integer({ ...ro, sql: runs(active) }),
  max_concurrent_jobs: field.integer({ min: 0, max: 2_147_483_647 }),
  max_forks: field.integer({ min: 0, max: 2_147_483_647 }),
  jobs_total: field.integer({ ...ro, sql: runs('') }),
  instances: field.integer({ ...ro, sql: `(select count(*)::integer from (${members}) x)` }),
  is_container_group: field.boolean(),
  credential: field.ref('credential'),
  policy_instance_percentage: field.integer({ min: 0, max: 100 }),
  policy_instance_minimum: field.integer({ min: 0, max: 2_147_483_647 }),
  policy_instance_list: field.list(),
  pod_spec_override: field.text(),
};

/** Places where runs are executed. Until runs name their group they count with every group of their instance. */
export const instanceGroupResource = ({ permissions }: { permissions: CorePermissions }): Resource =>
  defineResource({
    type: 'instance_group',
    path: 'instance_groups',
    table: 'instance_groups',
    label: 'Instance group',
    description: 'Nodes, or a place for containers, where runs may be carried out.',
    fields,
    access: permissions.instance_group,
    orderBy: ['name'],
    search: ['name'],
    naming: ['name'],
    unique: {
      instance_groups_name: { field: 'name', message: 'Instance group with this Name already exists.' },
    },
    sublists: {
      instances: {
        resource: 'instance',
        through: { table: 'instance_group_instances', parent: 'instance_group_id', child: 'instance_id' },
        attach: true,
        write: superuser,
      },
      jobs: {
        resource: 'unified_job',
        where: (builder, group, alias) =>
          void builder.whereRaw(`"${alias}".instance_id in (${members.replaceAll('{alias}.id', '?')})`, [group.id]),
      },
    },
    beforeDelete: (trx, { id }) =>
      assertNoActiveRuns(
        trx,
        (active) =>
          void active.whereIn(
            'instance_id',
            trx('instance_group_instances').select('instance_id').where('instance_group_id', id),
          ),
      ),
  });

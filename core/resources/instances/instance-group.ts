import { type Resource, type Row, ValidationError, defineResource, field } from '@tapline/plugin-sdk';
import { applyGroupPolicies } from '../../nodes/group-policies.ts';
import { capacitySql } from '../../nodes/living.ts';
import { assertNoActiveRuns } from '../../runs/active-runs.ts';
import { groupProblems, joinByHand, leaveByHand } from './group-members.ts';
import { assertLinks } from '../../rbac/rights.ts';
import { role } from '../../rbac/role-rules.ts';
import { allOf, columnIs, not, superuser } from '../../rbac/rules.ts';

const ro = { mode: 'ro', filterable: false } as const;
const members = 'select m.instance_id from instance_group_instances m where m.instance_group_id = {alias}.id';
const ofMembers = (sum: string) =>
  `(select coalesce(sum(${sum}), 0)::integer from instances i where i.enabled and i.id in (${members}))`;
/** On its account; of runs that were placed before groups were kept, on its nodes. */
const ofGroup = (run: string, group: string) =>
  `(${run}.instance_group_id = ${group} or (${run}.instance_group_id is null and ${run}.instance_id in (${members.replaceAll('{alias}.id', group)})))`;
const runs = (more: string) => `(select count(*)::integer from runs r where ${ofGroup('r', '{alias}.id')}${more})`;
const active = ` and r.status in ('waiting', 'running')`;
const consumed = `(select coalesce(sum(r.impact), 0)::integer from runs r where ${ofGroup('r', '{alias}.id')}${active})`;

const fields = {
  name: field.string({ required: true, max: 250 }),
  capacity: field.integer({ ...ro, sql: ofMembers(capacitySql('i')) }),
  consumed_capacity: field.integer({ ...ro, sql: consumed }),
  percent_capacity_remaining: field.computed({
    compute: ({ capacity, consumed_capacity: used }: Row & { capacity: number; consumed_capacity: number }) =>
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

/** Places where runs are executed. */
export const instanceGroupResource = (): Resource =>
  defineResource({
    type: 'instance_group',
    path: 'instance_groups',
    table: 'instance_groups',
    label: 'Instance group',
    description: 'Nodes, or a place for containers, where runs may be carried out.',
    fields,
    access: {
      see: role('instance_group', 'read_role'),
      create: superuser,
      change: role('instance_group', 'admin_role'),
      delete: allOf(superuser, not(columnIs('name', 'default')), not(columnIs('name', 'controlplane'))),
    },
    rights: { use: role('instance_group', 'use_role') },
    summary: ['id', 'name', 'is_container_group'],
    capabilities: { edit: 'change', delete: 'delete' },
    stream: true,
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
        check: (trx, group, node) => joinByHand(trx, group as never, node as never),
        checkDetach: (trx, group, node) => leaveByHand(trx, group as never, node as never),
      },
      jobs: {
        resource: 'unified_job',
        where: (builder, group, alias) => void builder.whereRaw(ofGroup(`"${alias}"`, '?'), [group.id, group.id]),
      },
    },
    async validate(context) {
      await assertLinks(context, [['credential_id', 'credential', 'use_role']]);
      const problems = await groupProblems(context);
      if (Object.keys(problems).length) throw new ValidationError(problems);
    },
    afterCreate: ({ trx }) => applyGroupPolicies(trx),
    afterUpdate: ({ trx }) => applyGroupPolicies(trx),
    beforeDelete: (trx, { id }) =>
      assertNoActiveRuns(trx, (active) => void active.whereRaw(ofGroup('runs', '?'), [id, id])),
  });

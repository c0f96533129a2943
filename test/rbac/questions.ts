import type { Actor, Resource, Rule } from '@tapline/plugin-sdk';
import { createMetrics } from '../../core/observe/metrics.ts';
import { type RoleType, isRoleType, roleDefinitions } from '../../core/rbac/definitions.ts';
import { administers } from '../../core/rbac/people.ts';
import { templateAccess } from '../../core/run-kinds/job/template-rules.ts';
import { jobAccess } from '../../core/run-kinds/job/rules.ts';
import { seenRun } from '../../core/runs/access.ts';
import { withRuns } from '../support/runs.ts';
import { parent, role } from '../../core/rbac/role-rules.ts';
import { allOf, anyOf, columnIs, not, via } from '../../core/rbac/rules.ts';
import { coreResources } from '../../core/resources/index.ts';
import { silentLog } from '../support/log.ts';
import { type Facts, tables } from './islands.ts';
import { type Sees, sees } from './sees.ts';
import { settingsWith } from './world.ts';

export const settings = settingsWith(['ORG_ADMINS_CAN_SEE_ALL_USERS']);
const services = withRuns({ settings, log: silentLog, metrics: createMetrics(), config: {} });

/** A rule, the type whose rows it judges, and what the drawn graph says of an actor and a row. */
export interface Question {
  name: string;
  type: string;
  rule: Rule;
  expected: Sees;
  /** the rule is one role on the record itself, or looks at no record at all: one in ten graphs will do */
  rarely?: boolean;
}

export const everyRole: Question[] = Object.entries(roleDefinitions).flatMap(([type, fields]) =>
  Object.keys(fields).map((field) => ({
    name: `${type}.${field}`,
    type,
    rule: role(type as RoleType, field),
    expected: ({ graph }: Facts, actor: Actor, row: any) => graph.holds(actor, type, row.id, field),
  })),
);

const administered = ({ graph }: Facts, actor: Actor, user: any, orphans: boolean): boolean => {
  if (actor.is_superuser) return true;
  if (user.is_superuser || user.is_system_auditor) return false;
  const organizations = graph.directOrganizations(user.id, 'admin_role member_role');
  const keeps = (id: number) => graph.holds(actor, 'organization', id, 'admin_role');
  if (organizations.length) return organizations.every(keeps);
  return (
    orphans && graph.organizations.some(keeps) && graph.given(user).every((id) => graph.heldByGrant(actor).has(id))
  );
};

const holds =
  (type: string, column: string, field: string): Sees =>
  ({ graph }, actor, row) =>
    graph.holds(actor, type, row[column], field);

const combined: Question[] = [
  {
    name: 'host by inventory',
    type: 'host',
    rule: parent('inventory_id', 'inventory', 'update_role'),
    expected: holds('inventory', 'inventory_id', 'update_role'),
  },
  {
    name: 'host via inventory',
    type: 'host',
    rule: via('inventory_id', 'inventories', role('inventory', 'read_role')),
    expected: holds('inventory', 'inventory_id', 'read_role'),
  },
  {
    name: 'template by project, inventory if any',
    type: 'job_template',
    rule: templateAccess.create,
    expected: ({ graph }, actor, row) =>
      graph.holds(actor, 'project', row.project_id, 'use_role') &&
      (row.inventory_id === null || graph.holds(actor, 'inventory', row.inventory_id, 'use_role')),
  },
  {
    name: 'neither executable nor of an organization that the caller administers',
    type: 'job_template',
    rule: not(anyOf(role('job_template', 'execute_role'), parent('organization_id', 'organization', 'admin_role'))),
    expected: ({ graph }, actor, row) =>
      !(
        graph.holds(actor, 'job_template', row.id, 'execute_role') ||
        graph.holds(actor, 'organization', row.organization_id, 'admin_role')
      ),
  },
  {
    name: 'readable and without organization',
    type: 'inventory',
    rule: allOf(role('inventory', 'read_role'), columnIs('organization_id', null)),
    expected: ({ graph }, actor, row) =>
      row.organization_id === null && graph.holds(actor, 'inventory', row.id, 'read_role'),
  },
  {
    name: 'jobs deleted by whoever may, or runs seen of either kind',
    type: 'unified_job',
    rule: anyOf(jobAccess.delete, seenRun(services.visible, services.kinds)),
    expected: (facts, actor, row) =>
      facts.graph.holds(actor, 'organization', row.organization_id, 'admin_role') ||
      sees.unified_job!(facts, actor, row),
  },
  {
    name: 'jobs cancelled',
    type: 'job',
    rule: jobAccess.cancel,
    expected: ({ graph }, actor, row) =>
      actor.is_superuser ||
      (row.template_id === null
        ? graph.holds(actor, 'organization', row.organization_id, 'job_template_admin_role')
        : graph.holds(actor, 'job_template', row.template_id, 'admin_role')),
  },
  {
    name: 'users administered',
    type: 'user',
    rule: administers(settings),
    expected: (facts, actor, user) => administered(facts, actor, user, false),
  },
  {
    name: 'users administered, orphans too',
    type: 'user',
    rule: administers(settings, { orphans: true }),
    expected: (facts, actor, user) => administered(facts, actor, user, true),
  },
];

/** The rule by which the lists of each type show their rows. */
export const resources: Resource[] = coreResources(services);
for (const { type, access } of resources) services.doors.declare(type, access.see);

const simple = (type: string) =>
  (isRoleType(type) && type !== 'team') ||
  ['credential_type', 'hook_trace', 'host_metric', 'host_metric_summary_monthly', 'role_definition'].includes(type);

const seen: Question[] = resources.map(({ type, access }) => {
  const expected = sees[type];
  if (!expected || !tables[type])
    throw new Error(`say in sees.ts who sees a row of ${type}, and in islands.ts where it lies`);
  return { name: `${type} seen`, type, rule: access.see, expected, rarely: simple(type) };
});

export const questions: Question[] = [...combined, ...seen.filter(({ type }) => type !== 'role')];

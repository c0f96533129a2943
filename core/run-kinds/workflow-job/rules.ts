import type { Access, RunAccess } from '@tapline/plugin-sdk';
import { organizationKeeper } from '../../rbac/people.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { allOf, anyOf, columnIs, not, owner, superuser } from '../../rbac/rules.ts';
import { repeatsPrompts } from '../job/launch/repeat-prompts.ts';
import type { LinkRight } from '../../rbac/rights.ts';

const usesInventory = parent('inventory_id', 'inventory', 'use_role', { alsoEmpty: true });
const manages = parent('organization_id', 'organization', 'workflow_admin_role');
const seen = role('workflow_job_template', 'read_role');
const kept = role('workflow_job_template', 'admin_role');
const execute = role('workflow_job_template', 'execute_role');

export const templateAccess = {
  see: seen,
  create: allOf(manages, usesInventory),
  change: kept,
  delete: kept,
} satisfies Access;

export const templateRights = {
  execute,
  start: execute,
  approve: role('workflow_job_template', 'approval_role'),
  copy: allOf(seen, manages),
};

/** What a change needs besides: roles on what the template names, before and after. */
export const templateLinks: LinkRight[] = [
  ['organization_id', 'organization', 'workflow_admin_role'],
  ['inventory_id', 'inventory', 'use_role'],
];

const ofWorkflow = (field: string) => parent('workflow_job_template_id', 'workflow_job_template', field);

/** Nodes are their workflow's; what they launch needs the right to launch it (nodes/check-node.ts). */
export const nodeAccess = {
  see: ofWorkflow('read_role'),
  create: ofWorkflow('admin_role'),
  change: ofWorkflow('admin_role'),
  delete: ofWorkflow('admin_role'),
} satisfies Access;

/** Runs of a workflow, and slices of a job template, which have that as their template. */
const ofTemplate = (field: 'admin_role' | 'execute_role' | 'read_role') =>
  anyOf(parent('template_id', 'workflow_job_template', field), parent('template_id', 'job_template', field));
const orphan = columnIs('template_id', null);
const remove = manages;
const relaunch = anyOf(superuser, allOf(not(orphan), ofTemplate('execute_role')));

export const workflowJobAccess = {
  see: anyOf(ofTemplate('read_role'), organizationKeeper(), allOf(orphan, owner('created_by_id'))),
  delete: remove,
  cancel: anyOf(superuser, owner('created_by_id'), ofTemplate('admin_role'), remove),
  relaunch,
  start: allOf(relaunch, repeatsPrompts),
} satisfies RunAccess;

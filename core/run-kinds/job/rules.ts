import type { RunAccess } from '@tapline/plugin-sdk';
import { organizationKeeper } from '../../rbac/people.ts';
import { parent } from '../../rbac/role-rules.ts';
import { allOf, anyOf, columnIs, not, owner, superuser } from '../../rbac/rules.ts';
import { repeatsPrompts } from './launch/repeat-prompts.ts';

const ofOrganization = (field: string) => parent('organization_id', 'organization', field);
const ofTemplate = (field: string) => parent('template_id', 'job_template', field);
const orphan = (field: string) => allOf(columnIs('template_id', null), ofOrganization(field));
const relaunch = anyOf(superuser, ofTemplate('execute_role'), orphan('execute_role'));

/** contract/jobs.md §10.5 */
export const jobAccess = {
  see: anyOf(ofTemplate('read_role'), organizationKeeper()),
  delete: ofOrganization('admin_role'),
  cancel: anyOf(superuser, owner('created_by_id'), ofTemplate('admin_role'), orphan('job_template_admin_role')),
  relaunch,
  /** what a relaunch needs besides the right: a job that has lost it answers 400 */
  start: allOf(relaunch, not(columnIs('project_id', null)), not(columnIs('inventory_id', null)), repeatsPrompts),
} satisfies RunAccess;

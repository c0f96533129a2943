import type { Actor } from '@tapline/plugin-sdk';
import type { Facts } from './islands.ts';

/**
 * Who sees a row of each type, by hand from contract/rbac.md §4 to §7, with the setting ORG_ADMINS_CAN_SEE_ALL_USERS off: nothing
 * here is computed by core/rbac.
 */
export type Sees = (facts: Facts, actor: Actor, row: any) => boolean;

const readsAll = (actor: Actor) => actor.is_superuser || actor.is_system_auditor;
const held =
  (type: string, column = 'id', field = 'read_role'): Sees =>
  ({ graph }, actor, row) =>
    graph.holds(actor, type, row[column], field);
const keeps: Sees = ({ graph }, actor, row) => graph.direct(actor, row.organization_id, 'admin_role', 'auditor_role');

const seesJob: Sees = (facts, actor, row) =>
  row.kind === 'job' && (held('job_template', 'template_id')(facts, actor, row) || keeps(facts, actor, row));
const seesUpdate: Sees = (facts, actor, row) =>
  row.kind === 'project_update' && held('project', 'template_id')(facts, actor, row);
const seesUpkeep: Sees = (_facts, actor, row) => row.kind === 'system_job' && readsAll(actor);
const seesCommand: Sees = (facts, actor, row) =>
  row.kind === 'ad_hoc_command' && held('inventory', 'inventory_id')(facts, actor, row);
const seesReading: Sees = (facts, actor, row) =>
  row.kind === 'inventory_update' && held('inventory', 'inventory_id')(facts, actor, row);
/** A slice has the job template as its template; whoever began many at once sees the run, which has none. */
const seesFlow: Sees = (facts, actor, row) =>
  row.kind === 'workflow_job' &&
  (held('workflow_job_template', 'template_id')(facts, actor, row) ||
    held('job_template', 'template_id')(facts, actor, row) ||
    keeps(facts, actor, row) ||
    (row.template_id === null && row.created_by_id === actor.id));
const seesApproval = held('workflow_job_template', 'workflow_id');
const ofRun =
  (sees: Sees): Sees =>
  (facts, actor, row) =>
    sees(facts, actor, facts.byId('unified_job', row.run_id));

/** Direct member of an organization on which the caller holds one of these roles. */
const memberWhere = (facts: Facts, actor: Actor, user: { id: number }, ...fields: string[]): boolean =>
  facts.graph
    .directOrganizations(user.id, 'member_role')
    .some((id) => fields.some((field) => facts.graph.holds(actor, 'organization', id, field)));

/** §7: notification_admin(org) or direct auditor */
const seesNotifications: Sees = (facts, actor, row) =>
  readsAll(actor) ||
  held('organization', 'organization_id', 'notification_admin_role')(facts, actor, row) ||
  facts.graph.direct(actor, row.organization_id, 'auditor_role');

const seesApplication: Sees = (facts, actor, row) =>
  readsAll(actor) || facts.graph.holds(actor, 'organization', row.organization_id, 'member_role');

const seesAssignment =
  (holder: 'user' | 'team'): Sees =>
  (facts, actor, row) =>
    sees.role!(facts, actor, facts.byId('role', row.role_id)) &&
    sees[holder]!(facts, actor, facts.byId(holder, row[`${holder}_id`]));

export const sees: Record<string, Sees> = {
  organization: held('organization'),
  inventory: held('inventory'),
  constructed_inventory: (facts, actor, row) => row.kind === 'constructed' && held('inventory')(facts, actor, row),
  federated_inventory: (facts, actor, row) => row.kind === 'federated' && held('inventory')(facts, actor, row),
  host: held('inventory', 'inventory_id'),
  group: held('inventory', 'inventory_id'),
  project: held('project'),
  job_template: held('job_template'),
  workflow_job_template: held('workflow_job_template'),
  unified_job_template: (facts, actor, row) =>
    row.kind === 'system_job_template'
      ? readsAll(actor)
      : row.kind === 'inventory_source'
        ? held('inventory', 'inventory_id')(facts, actor, row)
        : // part of a workflow, and in no list of templates
          row.kind !== 'workflow_approval_template' && held(row.kind)(facts, actor, row),
  inventory_source: held('inventory', 'inventory_id'),
  credential: held('credential'),
  credential_input_source: held('credential', 'target_credential_id'),
  credential_type: () => true,
  instance_group: held('instance_group'),
  label: (facts, actor, row) =>
    held('organization', 'organization_id')(facts, actor, row) ||
    facts
      .links('template_labels', 'label_id', row.id)
      .some((link) => facts.graph.holds(actor, 'job_template', link.template_id, 'read_role')),
  instance: (facts, actor, row) =>
    readsAll(actor) ||
    facts
      .links('instance_group_instances', 'instance_id', row.id)
      .some((link) => facts.graph.holds(actor, 'instance_group', link.instance_group_id, 'read_role')),
  job: seesJob,
  workflow_job: seesFlow,
  workflow_job_template_node: held('workflow_job_template', 'workflow_job_template_id'),
  workflow_job_node: ofRun(seesFlow),
  workflow_approval_template: seesApproval,
  workflow_approval: seesApproval,
  workflow_approval_vote: (facts, actor, row) =>
    seesApproval(facts, actor, facts.byId('workflow_approval', row.run_id)),
  schedule: (facts, actor, row) =>
    sees.unified_job_template!(facts, actor, facts.byId('unified_job_template', row.unified_job_template_id)),
  project_update: seesUpdate,
  system_job_template: (_facts, actor) => readsAll(actor),
  system_job: seesUpkeep,
  system_job_event: ofRun(seesUpkeep),
  notification_template: seesNotifications,
  notification: (facts, actor, row) =>
    seesNotifications(facts, actor, facts.byId('notification_template', row.notification_template_id)),
  execution_environment: (facts, actor, row) =>
    row.organization_id === null || held('organization', 'organization_id')(facts, actor, row),
  ad_hoc_command: seesCommand,
  unified_job: (facts, actor, row) =>
    row.kind === 'workflow_approval'
      ? seesApproval(facts, actor, row)
      : [seesJob, seesUpdate, seesReading, seesCommand, seesUpkeep, seesFlow].some((sees) => sees(facts, actor, row)),
  job_event: ofRun(seesJob),
  project_update_event: ofRun(seesUpdate),
  ad_hoc_command_event: ofRun(seesCommand),
  inventory_update: seesReading,
  inventory_update_event: ofRun(seesReading),
  job_host_summary: ofRun(seesJob),
  team: (facts, actor, row) =>
    held('team')(facts, actor, row) || held('organization', 'organization_id', 'member_role')(facts, actor, row),
  user: (facts, actor, user) =>
    readsAll(actor) ||
    user.id === actor.id ||
    user.is_superuser ||
    user.is_system_auditor ||
    memberWhere(facts, actor, user, 'read_role'),
  o_auth2_application: seesApplication,
  o_auth2_access_token: (facts, actor, row) => {
    if (readsAll(actor) || row.user_id === actor.id) return true;
    const application = facts.byId('o_auth2_application', row.application_id);
    return ['admin_role', 'auditor_role'].some(
      (field) => application && facts.graph.holds(actor, 'organization', application.organization_id, field),
    );
  },
  role_definition: () => true,
  role_user_assignment: seesAssignment('user'),
  role_team_assignment: seesAssignment('team'),
  role: ({ graph }, actor, row) => readsAll(actor) || graph.seenRoles(actor).has(row.id),
  hook_trace: (_facts, actor) => readsAll(actor),
  host_metric: (_facts, actor) => readsAll(actor),
  host_metric_summary_monthly: (_facts, actor) => readsAll(actor),
  audit_event: (facts, actor, row) =>
    readsAll(actor) || held('organization', 'organization_id', 'admin_role')(facts, actor, row),
  activity_stream: (facts, actor, row) => {
    if (readsAll(actor) || keeps(facts, actor, row) || row.subject_id === actor.id) return true;
    const subject = facts.byId('user', row.subject_id);
    if (subject && memberWhere(facts, actor, subject, 'admin_role', 'auditor_role')) return true;
    return facts.links('activity_objects', 'activity_id', row.id).some(({ type, object_id }) => {
      const object = facts.byId(type, object_id);
      return object !== undefined && sees[type]!(facts, actor, object);
    });
  },
};

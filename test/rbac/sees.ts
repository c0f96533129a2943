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
const ofRun =
  (sees: Sees): Sees =>
  (facts, actor, row) =>
    sees(facts, actor, facts.byId('unified_job', row.run_id));

/** Direct member of an organization on which the caller holds one of these roles. */
const memberWhere = (facts: Facts, actor: Actor, user: { id: number }, ...fields: string[]): boolean =>
  facts.graph
    .directOrganizations(user.id, 'member_role')
    .some((id) => fields.some((field) => facts.graph.holds(actor, 'organization', id, field)));

const seesApplication: Sees = (facts, actor, row) =>
  readsAll(actor) || facts.graph.holds(actor, 'organization', row.organization_id, 'member_role');

export const sees: Record<string, Sees> = {
  organization: held('organization'),
  inventory: held('inventory'),
  host: held('inventory', 'inventory_id'),
  group: held('inventory', 'inventory_id'),
  project: held('project'),
  job_template: held('job_template'),
  unified_job_template: (facts, actor, row) => held(row.kind)(facts, actor, row),
  credential: held('credential'),
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
  project_update: seesUpdate,
  unified_job: (facts, actor, row) => seesJob(facts, actor, row) || seesUpdate(facts, actor, row),
  job_event: ofRun(seesJob),
  project_update_event: ofRun(seesUpdate),
  job_host_summary: (facts, actor, row) =>
    ofRun(seesJob)(facts, actor, row) ||
    (row.host_id === null
      ? actor.is_superuser
      : held('inventory', 'inventory_id')(facts, actor, facts.byId('host', row.host_id))),
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
  role: ({ graph }, actor, row) => readsAll(actor) || graph.seenRoles(actor).has(row.id),
  hook_trace: (_facts, actor) => readsAll(actor),
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

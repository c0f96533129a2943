/**
 * What goes with a record that is deleted, by its type: lists that hold it, by what they are called. A test compares them with what
 * the database deletes along.
 */
export const takes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  organization: {
    teams: 'organizations/{id}/teams/',
    credentials: 'organizations/{id}/credentials/',
    'execution environments': 'organizations/{id}/execution_environments/',
    'notification templates': 'organizations/{id}/notification_templates/',
    applications: 'organizations/{id}/applications/',
    labels: 'labels/?organization={id}',
  },
  user: { credentials: 'users/{id}/credentials/', tokens: 'users/{id}/tokens/' },
  o_auth2_application: { tokens: 'applications/{id}/tokens/' },
  inventory: {
    hosts: 'inventories/{id}/hosts/',
    groups: 'inventories/{id}/groups/',
    sources: 'inventories/{id}/inventory_sources/',
  },
  inventory_source: { schedules: 'inventory_sources/{id}/schedules/' },
  group: {
    'hosts, but for those of other groups': 'groups/{id}/all_hosts/',
    'groups within, but for those of other groups': 'groups/{id}/children/',
  },
  credential: {
    'inputs of its own that are looked up': 'credentials/{id}/input_sources/',
    'inputs of other credentials that it looks up': 'credential_input_sources/?source_credential={id}',
  },
  project: { schedules: 'projects/{id}/schedules/' },
  job_template: { schedules: 'job_templates/{id}/schedules/' },
  workflow_job_template: {
    steps: 'workflow_job_templates/{id}/workflow_nodes/',
    schedules: 'workflow_job_templates/{id}/schedules/',
  },
  notification_template: { deliveries: 'notification_templates/{id}/notifications/' },
};

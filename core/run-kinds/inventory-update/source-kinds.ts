/** What a source of a kind needs, and how the engine reads it. */
export interface SourceKind {
  label: string;
  /** the engine's inventory plugin by its whole name; what has none is read in a way of its own */
  plugin?: string;
  /** namespace of the credential that fits */
  credential?: string;
  /** it may go without one */
  credentialOptional?: true;
  /** variables of a host that tell which instance it is, the first that is there */
  instanceId?: readonly string[];
  /** the variable of a host that tells whether it is enabled, and its value then; where the source does not say */
  enabled?: readonly [variable: string, value: string];
}

const itself: SourceKind = {
  label: 'Another service like this one',
  plugin: 'awx.awx.controller',
  credential: 'controller',
  instanceId: ['remote_tower_id'],
  enabled: ['remote_tower_enabled', 'true'],
};

/** contract/inventory-credentials.md §7.2, in the order in which they are offered. */
export const sourceKinds = {
  file: { label: 'File, Directory or Script' },
  constructed: {
    label: 'Template additional groups and hostvars at runtime',
    instanceId: ['remote_tower_id'],
    enabled: ['remote_tower_enabled', 'true'],
  },
  scm: { label: 'Sourced from a Project' },
  custom: { label: 'Custom Script' },
  ec2: {
    label: 'Amazon EC2',
    plugin: 'amazon.aws.aws_ec2',
    credential: 'aws',
    credentialOptional: true,
    instanceId: ['instance_id'],
  },
  gce: {
    label: 'Google Compute Engine',
    plugin: 'google.cloud.gcp_compute',
    credential: 'gce',
    instanceId: ['gce_id', 'id'],
  },
  azure_rm: {
    label: 'Microsoft Azure Resource Manager',
    plugin: 'azure.azcollection.azure_rm',
    credential: 'azure_rm',
    instanceId: ['id'],
  },
  vmware: {
    label: 'VMware vCenter',
    plugin: 'community.vmware.vmware_vm_inventory',
    credential: 'vmware',
    instanceId: ['config.instanceUuid', 'config.instanceuuid'],
  },
  satellite6: {
    label: 'Red Hat Satellite 6',
    plugin: 'theforeman.foreman.foreman',
    credential: 'satellite6',
    instanceId: ['foreman.id', 'foreman_id'],
  },
  openstack: {
    label: 'OpenStack',
    plugin: 'openstack.cloud.openstack',
    credential: 'openstack',
    instanceId: ['openstack.id'],
  },
  rhv: { label: 'Red Hat Virtualization', plugin: 'ovirt.ovirt.ovirt', credential: 'rhv', instanceId: ['id'] },
  controller: itself,
  svc: itself,
  ascender: itself,
  insights: {
    label: 'Red Hat Insights',
    plugin: 'redhatinsights.insights.insights',
    credential: 'insights',
    instanceId: ['insights_id'],
  },
  terraform: { label: 'Terraform State', plugin: 'cloud.terraform.terraform_state', credential: 'terraform' },
  openshift_virtualization: {
    label: 'OpenShift Virtualization',
    plugin: 'kubevirt.core.kubevirt',
    credential: 'kubernetes_bearer_token',
  },
} as const satisfies Record<string, SourceKind>;

export const kindOfSource = (source: string): SourceKind | undefined =>
  Object.hasOwn(sourceKinds, source) ? sourceKinds[source as keyof typeof sourceKinds] : undefined;

export const sourceChoices = Object.entries(sourceKinds).map(([value, { label }]): [string, string] => [value, label]);

/** The same thing under its other names. */
export const fitsKind = (namespace: string | null, wanted: string): boolean =>
  namespace === wanted || (wanted === 'controller' && ['svc', 'ascender', 'controller'].includes(namespace ?? ''));

interface Updatable {
  source: string;
  project_id: number | null;
  credential_id: number | null;
  source_script: string;
}

/** contract §7.1: what an update of a source needs at least. */
export function canUpdate({
  source,
  project_id: project,
  credential_id: credential,
  source_script: script,
}: Updatable): boolean {
  if (source === 'scm') return project !== null;
  if (source === 'custom') return script.trim() !== '';
  if (source === 'gce') return credential !== null;
  return source !== 'file' && source !== '';
}

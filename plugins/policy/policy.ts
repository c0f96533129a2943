/** What can be launched, as policies name it. */
export const resourceTypes = ['job_template', 'workflow_job_template', 'ad_hoc_command'] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const modes = ['none', 'warn', 'enforce'] as const;
export type Mode = (typeof modes)[number];

export interface Policy {
  id: number;
  name: string;
  organization_id: number | null;
  rego_module: string;
  /** segments joined by slashes */
  package_path: string;
  enforcement: Mode;
  shadow: boolean;
}

/** What a policy may do in an organization: the lesser of both. */
export const capped = (policy: Mode, organization: Mode): Mode =>
  modes[Math.min(modes.indexOf(policy), modes.indexOf(organization))]!;

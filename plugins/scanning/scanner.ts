/** What can be launched, as scanners name it. */
export const resourceTypes = ['job_template', 'workflow_job_template', 'ad_hoc_command'] as const;
export type ResourceType = (typeof resourceTypes)[number];

export const tools = ['playbook_lint', 'iac_scan', 'dependency_audit'] as const;
export type Tool = (typeof tools)[number];

/** In ascending order. */
export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];
export const rank = (severity: Severity): number => severities.indexOf(severity);

export const statuses = ['ok', 'warn', 'blocked', 'error', 'timeout'] as const;
export type Status = (typeof statuses)[number];

export interface Scanner {
  id: number;
  name: string;
  organization_id: number | null;
  tool: Tool;
  config: Record<string, unknown>;
  severity_threshold: Severity;
  enforcement: 'warn' | 'enforce';
}

/** Lines of a file, as they are in the commit. */
export interface Excerpt {
  /** the number of the first one */
  first: number;
  lines: string[];
}

export interface Finding {
  rule_id: string;
  severity: Severity;
  /** relative to the checkout */
  file_path: string;
  line: number | null;
  message: string;
  /** the lines around it, where it names one */
  excerpt?: Excerpt;
  /** somebody accepted it before: it does not count */
  accepted?: boolean;
}

/** The tool could not look, or did not look at everything. */
export class ScanError extends Error {
  override name = 'ScanError';
}

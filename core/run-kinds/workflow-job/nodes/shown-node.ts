import type { Row } from '@tapline/plugin-sdk';
import type { RunKinds } from '../../../runs/kinds.ts';

interface ShownTemplate {
  kind: string;
  id: number;
  [key: string]: unknown;
}

const shownBy = (row: Row) => row['shown_template'] as ShownTemplate | null;

/** The address of what a node launches, of whatever kind. */
export function templateLink(kinds: RunKinds, row: Row): string | null {
  const template = shownBy(row);
  const resource = template && kinds.templateResource(template.kind);
  return resource ? `/api/v2/${resource.path}/${template.id}/` : null;
}

/** `summary_fields.unified_job_template`; clients draw nodes by the kind of run that it makes. */
export function templateSummary(kinds: RunKinds, row: Row): Record<string, unknown> {
  const template = shownBy(row);
  if (!template) return {};
  const { kind, ...shown } = template;
  return { unified_job_template: { ...shown, unified_job_type: kinds.ofTemplate(kind)?.kind } };
}

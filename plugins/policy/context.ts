import type { Launch } from '@tapline/plugin-sdk';
import type { ResourceType } from './policy.ts';

/** What policies are asked with (specification, "Context document"). */
export interface LaunchContext {
  resource_type: ResourceType;
  resource_id: number | null;
  resource_name: string;
  organization_id: number | null;
  organization_name: string;
  user: { id: number; username: string; is_superuser: boolean } | null;
  extra_vars: Record<string, unknown>;
  inventory: { id: number; name: string; kind: string } | null;
  credentials: { id: number; name: string; kind: string }[];
  playbook: string;
  now_iso: string;
  client_ip: string | null;
}

const ofKind: Readonly<Record<string, ResourceType>> = {
  job: 'job_template',
  workflow_job: 'workflow_job_template',
  ad_hoc_command: 'ad_hoc_command',
};

/** What is launched; undefined: nothing that policies are about. A sliced job is its template's, though a workflow runs it. */
export function resourceTypeOf({ run, template }: Pick<Launch, 'run' | 'template'>): ResourceType | undefined {
  const own = ofKind[run.kind];
  return own && template?.kind === 'job_template' ? 'job_template' : own;
}

export const organizationOf = ({ run, uses }: Pick<Launch, 'run' | 'uses'>): number | null =>
  run.organization_id ?? uses.organization?.id ?? null;

/** Of the launch, with what a statement had to look up. */
export function contextOf(
  launch: Launch,
  type: ResourceType,
  looked: { inventoryKind: string | null; organizationName: string | null },
  { now, mask }: { now: Date; mask: boolean },
): LaunchContext {
  const { run, template, uses, actor, origin } = launch;
  return {
    resource_type: type,
    resource_id: template?.id ?? (type === 'ad_hoc_command' ? run.id || null : null),
    resource_name: template?.name ?? run.name,
    organization_id: organizationOf(launch),
    organization_name: uses.organization?.name ?? looked.organizationName ?? '',
    user: actor && { id: actor.id, username: actor.username, is_superuser: actor.is_superuser },
    extra_vars: variablesOf(run.extra_vars, mask),
    inventory: uses.inventory && {
      id: uses.inventory.id,
      name: uses.inventory.name,
      kind: looked.inventoryKind ?? '',
    },
    credentials: uses.credentials.map(({ id, name, kind }) => ({ id, name, kind })),
    playbook: run.playbook,
    now_iso: now.toISOString(),
    client_ip: origin.client_ip,
  };
}

/** Answers to password questions stand there as `$encrypted$` already. */
function variablesOf(text: string, mask: boolean): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text || '{}');
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
  return (mask ? masked(parsed) : parsed) as Record<string, unknown>;
}

const secretName =
  /pass(word|wd|phrase|code)?($|_)|passw|secret|token|(api|access|private|ssh|encryption)_?key|credential|vault/i;

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held]) => [key, secretName.test(key) ? '$encrypted$' : masked(held)]),
  );
}

import type { Columns } from './columns.ts';

export interface CoreInventoryRow {
  id: number;
  name: string;
  description: string;
  organization_id: number | null;
  /** '' = plain */
  kind: string;
  host_filter: string | null;
  /** YAML or JSON, as it was written */
  variables: string;
  /** it is going: shown nowhere any more */
  pending_deletion: boolean;
  created: string;
  modified: string;
}

export interface CoreHostRow {
  id: number;
  name: string;
  description: string;
  inventory_id: number;
  enabled: boolean;
  /** YAML or JSON, as it was written */
  variables: string;
  /** the run that touched it last; it may be gone */
  last_job_id: number | null;
  created: string;
  modified: string;
}

export interface CoreGroupRow {
  id: number;
  name: string;
  description: string;
  inventory_id: number;
  /** YAML or JSON, as it was written */
  variables: string;
  created: string;
  modified: string;
}

/** Hosts that are in a group themselves, not through a group below it. */
export interface CoreGroupHostRow {
  group_id: number;
  host_id: number;
}

/** Groups that are in a group themselves, not through one between them. One may be in several, and none is below itself. */
export interface CoreGroupChildRow {
  parent_id: number;
  child_id: number;
}

/** Facts, as `hooks.onFactsUpdated` names them: immutable, so a hash means the same for ever. */
export interface CoreFactsRow {
  hash: string;
  /** `{ ansible_distribution: 'Debian', … }` */
  document: Record<string, unknown>;
  created: string;
}

/** The latest facts of each host that has any. */
export interface CoreHostFactsRow {
  host_id: number;
  hash: string;
  /** the run that gathered them; it may be gone */
  run_id: number | null;
  modified: string;
}

export const inventoryColumns = {
  core_inventories: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    organization_id: 'bigint | null',
    kind: 'text',
    host_filter: 'text | null',
    variables: 'text',
    pending_deletion: 'boolean',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreInventoryRow>,
  core_hosts: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    inventory_id: 'bigint',
    enabled: 'boolean',
    variables: 'text',
    last_job_id: 'bigint | null',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreHostRow>,
  core_groups: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    inventory_id: 'bigint',
    variables: 'text',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreGroupRow>,
  core_group_hosts: { group_id: 'bigint', host_id: 'bigint' } satisfies Columns<CoreGroupHostRow>,
  core_group_children: { parent_id: 'bigint', child_id: 'bigint' } satisfies Columns<CoreGroupChildRow>,
  core_facts: { hash: 'text', document: 'jsonb', created: 'timestamp with time zone' } satisfies Columns<CoreFactsRow>,
  core_host_facts: {
    host_id: 'bigint',
    hash: 'text',
    run_id: 'bigint | null',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreHostFactsRow>,
} as const;

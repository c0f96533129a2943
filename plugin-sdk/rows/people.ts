import type { Columns } from './columns.ts';

export interface CoreOrganizationRow {
  id: number;
  name: string;
  description: string;
  /** 0 = as many as there may be */
  max_hosts: number;
  created: string;
  modified: string;
}

export interface CoreUserRow {
  id: number;
  username: string;
  first_name: string;
  last_name: string;
  email: string;
  is_superuser: boolean;
  is_system_auditor: boolean;
  /** false: may not log in */
  is_active: boolean;
  /** the password is still the one that the installation made, or one that everybody tries first */
  has_default_password: boolean;
  last_login: string | null;
  created: string;
  modified: string;
}

export interface CoreTeamRow {
  id: number;
  name: string;
  description: string;
  organization_id: number;
  created: string;
  modified: string;
}

/** Who is in which team, by whatever path: as a member, as its administrator, through another team. */
export interface CoreTeamMemberRow {
  team_id: number;
  user_id: number;
}

export const peopleColumns = {
  core_organizations: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    max_hosts: 'integer',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreOrganizationRow>,
  core_users: {
    id: 'bigint',
    username: 'text',
    first_name: 'text',
    last_name: 'text',
    email: 'text',
    is_superuser: 'boolean',
    is_system_auditor: 'boolean',
    is_active: 'boolean',
    has_default_password: 'boolean',
    last_login: 'timestamp with time zone | null',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreUserRow>,
  core_teams: {
    id: 'bigint',
    name: 'text',
    description: 'text',
    organization_id: 'bigint',
    created: 'timestamp with time zone',
    modified: 'timestamp with time zone',
  } satisfies Columns<CoreTeamRow>,
  core_team_members: { team_id: 'bigint', user_id: 'bigint' } satisfies Columns<CoreTeamMemberRow>,
} as const;

import type { Actor } from '@tapline/plugin-sdk';

export interface UserRow {
  id: number;
  username: string;
  password: string;
  is_superuser: boolean;
  is_system_auditor: boolean;
  is_active: boolean;
}

export const userColumns = ['id', 'username', 'password', 'is_superuser', 'is_system_auditor', 'is_active'] as const;

export const actorOf = (user: UserRow, via: Actor['via'], readOnly = false): Actor => ({
  id: user.id,
  username: user.username,
  is_superuser: user.is_superuser,
  is_system_auditor: user.is_system_auditor,
  read_only: readOnly,
  via,
});

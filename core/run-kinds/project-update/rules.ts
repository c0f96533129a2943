import type { RunAccess } from '@tapline/plugin-sdk';
import { parent } from '../../rbac/role-rules.ts';
import { anyOf, owner } from '../../rbac/rules.ts';

const ofProject = (field: string) => parent('template_id', 'project', field);

export const projectUpdateAccess = {
  see: ofProject('read_role'),
  delete: ofProject('admin_role'),
  cancel: anyOf(owner('created_by_id'), ofProject('admin_role')),
  start: ofProject('update_role'),
} satisfies RunAccess;

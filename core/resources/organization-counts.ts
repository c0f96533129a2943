import type { Call, Rule } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { CorePermissions } from '../rbac/permissions.ts';

/** `related_field_counts`: how much of each kind an organization has, as far as the caller sees it; one statement a page. */
export const organizationCounts =
  (permissions: CorePermissions) =>
  async (db: Knex, rows: any[], { actor }: Call) => {
    const count = (table: string, see: Rule, tie: string, kind?: string) => {
      const builder = db.from(`${table} as c`).whereRaw(tie).select(db.raw('count(*)::int'));
      if (kind) builder.where('c.kind', kind);
      see.query(actor, builder, 'c');
      return builder;
    };
    const people = (role: string) =>
      db
        .from('role_users as c')
        .join('roles as r', 'r.id', 'c.role_id')
        .whereRaw('r.object_id = o.id')
        .where({ 'r.content_type': 'organization', 'r.role_field': role })
        .select(db.raw('count(*)::int'));
    const own = 'c.organization_id = o.id';
    const ownHosts = 'c.inventory_id in (select id from inventories where organization_id = o.id)';
    const found = await db
      .from('organizations as o')
      .whereRaw('o.id = any (?)', [rows.map(({ id }) => id)])
      .select('o.id', {
        inventories: count('inventories', permissions.inventory.see, own),
        projects: count('templates', permissions.project.see, own, 'project'),
        job_templates: count('templates', permissions.job_template.see, own, 'job_template'),
        teams: count('teams', permissions.team.see, own),
        hosts: count('hosts', permissions.host.see, ownHosts),
        users: people('member_role'),
        admins: people('admin_role'),
      } as any);
    return new Map<number, Record<string, unknown>>(
      found.map(({ id, ...counts }: any) => [id, { related_field_counts: counts }]),
    );
  };

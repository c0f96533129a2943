import type { Call, Row } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { Visible } from '../../runs/access.ts';

/** `related_field_counts`: how much of each kind an organization has, as far as the caller sees it; one statement a page. */
export const organizationCounts =
  (visible: Visible) =>
  async (db: Knex, rows: Row[], { actor }: Call) => {
    const count = (type: string, table: string, tie: string, kind?: string) => {
      const builder = db.from(`${table} as c`).whereRaw(tie).select(db.raw('count(*)::int'));
      if (kind) builder.where('c.kind', kind);
      visible(type).query(actor, builder, 'c');
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
        inventories: count('inventory', 'inventories', own),
        projects: count('project', 'templates', own, 'project'),
        job_templates: count('job_template', 'templates', own, 'job_template'),
        teams: count('team', 'teams', own),
        hosts: count('host', 'hosts', ownHosts),
        users: people('member_role'),
        admins: people('admin_role'),
      });
    return new Map<number, Record<string, unknown>>(
      found.map(({ id, ...counts }) => [id, { related_field_counts: counts }]),
    );
  };

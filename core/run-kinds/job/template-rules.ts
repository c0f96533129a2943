import type { Access } from '@tapline/plugin-sdk';
import { runBuilt } from '../../db/prepared.ts';
import { parent, role } from '../../rbac/role-rules.ts';
import { allOf, anyOf, columnIs, connection, type CoreRule, not } from '../../rbac/rules.ts';

const uses = allOf(
  parent('project_id', 'project', 'use_role'),
  parent('inventory_id', 'inventory', 'use_role', { alsoEmpty: true }),
);
const runnable = allOf(
  not(columnIs('project_id', null)),
  anyOf(not(columnIs('inventory_id', null)), columnIs('ask_inventory_on_launch', true)),
);
const unusable = not(parent('credential_id', 'credential', 'use_role'));

/** Every credential of a copied template must be usable by whoever copies it. */
const usesCredentials: CoreRule = {
  name: 'use_role on every credential of the template',
  row: async (actor, row, db) => {
    if (!actor || actor.is_superuser) return actor !== null;
    const known = connection(db, 'credentials');
    const others = known
      .from('template_credentials as c')
      .select('c.credential_id')
      .where('c.template_id', Number(row['id']))
      .limit(1);
    unusable.query(actor, others, 'c');
    return (await runBuilt(known, others)).length === 0;
  },
  query: (actor, builder, alias) =>
    void builder.whereNotExists((inner) => {
      inner
        .select(inner.client.raw('1'))
        .from(`template_credentials as ${alias}_c`)
        .whereRaw('??.template_id = ??.id', [`${alias}_c`, alias]);
      unusable.query(actor, inner, `${alias}_c`);
    }),
};

const seen = role('job_template', 'read_role');
const kept = role('job_template', 'admin_role');
const execute = role('job_template', 'execute_role');

export const templateAccess = { see: seen, create: uses, change: kept, delete: kept } satisfies Access;
export const templateRights = {
  execute,
  start: allOf(execute, runnable),
  copy: allOf(seen, uses, runnable, usesCredentials),
};

import { join } from 'node:path';
import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { root } from '../../core/config/config.ts';
import { migrationSource } from '../../core/db/migrate.ts';
import { createEmptyDatabase } from '../support/database.ts';

describe('the migration to roles', () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Knex;
  const source = migrationSource(join(root, 'migrations'));
  const options = { migrationSource: source, tableName: 'm' };

  before(async () => {
    database = await createEmptyDatabase();
    db = knex({ client: 'pg', connection: { connectionString: database.url } as any });
    for (const name of await source.getMigrations([]))
      if ((name as string) < '0010') await db.migrate.up({ ...options, name: name as string } as any);
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('gives existing records their roles, administrators and auditors theirs, owners their credentials, and can be taken back', async () => {
    const [org] = await db('organizations').insert({ name: 'Old' }).returning('id');
    await db('inventories').insert({ name: 'Old', organization_id: org.id });
    await db('templates').insert([
      { kind: 'project', name: 'Old' },
      { kind: 'job_template', name: 'Old' },
    ]);
    const [admin, auditor, owner] = await db('users')
      .insert([{ username: 'a', is_superuser: true }, { username: 'b', is_system_auditor: true }, { username: 'c' }])
      .returning('id');
    const [type] = await db('credential_types').insert({ name: 'Old', kind: 'cloud' }).returning('id');
    await db('credentials').insert({ name: 'Old', credential_type_id: type.id, user_id: owner.id });

    const [name] = ((await source.getMigrations([])) as string[]).filter((one) => one.endsWith('_roles'));
    const { up, down } = (await source.getMigration(name!)) as any;
    for (let round = 0; round < 2; round++) {
      await db.transaction(up);
      const counts = await db('roles')
        .select('content_type')
        .count({ count: '*' })
        .groupBy('content_type')
        .orderBy('content_type');
      expect(Object.fromEntries(counts.map((row: any) => [row.content_type, Number(row.count)]))).to.deep.equal({
        credential: 3,
        inventory: 5,
        job_template: 3,
        organization: 13,
        project: 4,
        null: 2,
      });
      const given = await db('role_users as g')
        .join('roles as r', 'r.id', 'g.role_id')
        .orderBy('g.user_id')
        .select('g.user_id', 'r.role_field', 'r.content_type');
      expect(given).to.deep.equal([
        { user_id: admin.id, role_field: 'system_administrator', content_type: null },
        { user_id: auditor.id, role_field: 'system_auditor', content_type: null },
        { user_id: owner.id, role_field: 'admin_role', content_type: 'credential' },
      ]);
      await db.transaction(down);
    }
    await db('organizations').where('id', org.id).delete();
  });
});

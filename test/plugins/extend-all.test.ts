import { field } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';

/** Names for rows that lie in tables of others: no key can lead to them. */
const views = ['role_user_assignment', 'role_team_assignment'];

describe('every resource of core with an id of its own', function () {
  after(removeMigrationFolders);

  it('can be extended: its list, details, filters, order and description go on', async () => {
    const plain = await bootWith({ env: { TAPLINE_ROLES: 'web' } });
    const open = [...plain.services.catalog.models.values()]
      .filter(
        ({ resource, columns }) =>
          !resource.variants && !resource.identity && columns.has('id') && resource.methods?.list?.length !== 0,
      )
      .filter(({ type }) => !views.includes(type));
    await plain.stop();
    const types = open.map(({ type, table, resource }) => ({ type, table, path: resource.path }));
    expect(types.map(({ type }) => type)).to.include.members([
      'user',
      'host',
      'job',
      'job_template',
      'credential',
      'team',
    ]);
    const tables = types.map(
      ({ type, table }) => `await knex.schema.createTable('of_${type}', (t) => {
        t.bigInteger('${type}_id').primary().references('${table}.id').onDelete('cascade');
        t.text('wide_note');
        t.bigInteger('wide_owner_id').references('users.id').onDelete('set null');
      });`,
    );
    const wide = testPlugin(
      'wide',
      (api) => {
        for (const { type } of types)
          api.extend(type, {
            table: `of_${type}`,
            fields: { wide_note: field.text({ default: 'none' }), wide_owner: field.ref('user') },
          });
      },
      { migrations: migrationFolder({ '0001_sides.ts': tables.join('\n') }) },
    );
    const service = await bootWith({ plugins: [wide], env: { TAPLINE_ROLES: 'web' } });
    try {
      for (const { type, path } of types) {
        const queries = [
          '',
          '?wide_note=none',
          '?order_by=-wide_note,wide_owner__username',
          '?wide_owner__username=x',
          '?page=last&order_by=wide_note',
        ];
        for (const query of queries) {
          const { status, body } = await service.get(`${path}/${query}`);
          expect(status, `${path}/${query}: ${JSON.stringify(body)}`).to.equal(200);
          const [row] = body.results;
          if (!row) continue;
          expect(row.wide_note, type).to.equal('none');
          expect((await service.get(row.url)).body.wide_note, row.url).to.equal('none');
        }
        const { actions } = (await service.request('OPTIONS', `${path}/`)).body;
        expect(actions.GET.wide_note.filterable, type).to.equal(true);
      }
      const made = await service.post('teams/', { name: 'wide', organization: 1, wide_note: 'kept' });
      expect(made.body.wide_note).to.equal('kept');
      expect((await service.get('organizations/1/teams/?wide_note=kept')).body.count).to.equal(1);
      expect((await service.get('unified_jobs/')).status).to.equal(200);
      expect((await service.get('unified_job_templates/')).status).to.equal(200);
    } finally {
      await service.stop();
    }
  });
});

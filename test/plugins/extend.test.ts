import { field, type Plugin, type PluginApi } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const policyMigration = `await knex.schema.createTable('organization_settings', (t) => {
    t.bigInteger('organization_id').primary().references('organizations.id').onDelete('cascade');
    t.text('policy_enforcement').notNullable();
    t.integer('policy_limit').nullable();
    t.jsonb('policy_labels').notNullable();
    t.text('policy_token').notNullable();
    t.timestamp('policy_reviewed', { useTz: true });
    t.bigInteger('policy_credential_id').references('credentials.id').onDelete('set null');
    t.integer('policy_runs').notNullable().defaultTo(0);
    t.unique(['policy_limit']);
  });
  await knex.schema.createTable('template_settings', (t) => {
    t.bigInteger('job_template_id').primary().references('templates.id').onDelete('cascade');
    t.text('policy_reason').notNullable().defaultTo('');
    t.text('policy_key').notNullable().defaultTo('');
  });`;

const policy = (more: (api: PluginApi) => void = () => undefined): Plugin =>
  testPlugin(
    'policy',
    (api) => {
      api.extend('organization', {
        table: 'organization_settings',
        fields: {
          policy_enforcement: field.choice(['none', 'warn', 'enforce'], {
            default: 'none',
            help: "What isn't allowed?",
          }),
          policy_limit: field.integer({ nullable: true, min: 1, max: 100 }),
          policy_labels: field.list({ default: ["what's new?"] }),
          policy_token: field.string({ secret: true }),
          policy_reviewed: field.datetime({ nullable: true }),
          policy_credential: field.ref('credential'),
          policy_runs: field.integer({ mode: 'ro' }),
          policy_grade: field.computed({ compute: (row) => `${row.name}: ${row.policy_enforcement}` }),
        },
        related: ({ id }) => ({ policy_report: `/api/v2/policy_reports/${id}/`, users: '/nowhere/' }),
        summaries: async (db, rows) => {
          const counted = await db.raw('select 1 as one');
          return new Map(rows.map(({ id }) => [id, { policy: { one: counted.rows[0].one } }]));
        },
        sublists: {
          policy_admins: {
            resource: 'user',
            where: (builder: any, _row: any, alias: string) => builder.where(`${alias}.is_superuser`, true),
          },
        },
      });
      api.extend('job_template', {
        table: 'template_settings',
        fields: { policy_reason: field.text(), policy_key: field.string({ secret: true }) },
      });
      more(api);
    },
    { migrations: migrationFolder({ '0001_settings.ts': policyMigration }) },
  );

const tiny = (id: string, name: string): Plugin =>
  testPlugin(
    id,
    (api) => api.extend('organization', { table: 'extras', fields: { [name]: field.string({ default: 'x' }) } }),
    {
      migrations: migrationFolder({
        '0001_extras.ts': `await knex.schema.createTable('extras', (t) => { t.bigInteger('organization_id').primary().references('organizations.id').onDelete('cascade'); t.text('${name}'); });`,
      }),
    },
  );

describe('fields that plugins add to resources of core', function () {
  let service: TestService;
  let plain: TestService;
  let made: any;

  before(async () => {
    [service, plain] = await Promise.all([
      bootWith({ plugins: [policy(), tiny('second', 'second_note'), tiny('third', 'third_note')] }),
      bootWith(),
    ]);
    made = (
      await service.post('organizations/', {
        name: 'strict',
        policy_enforcement: 'enforce',
        policy_limit: 7,
        third_note: 'of third',
      })
    ).body;
  });
  after(async () => {
    await Promise.all([service.stop(), plain.stop()]);
    removeMigrationFolders();
  });

  const patch = (body: unknown, id = made.id) => service.request('PATCH', `organizations/${id}/`, { body });
  const db = () => service.database.db;
  const names = async (query: string) =>
    (await service.get(`organizations/?${query}`)).body.results.map(({ name }: any) => name);

  /** Those of one request; what nodes do beside it now and then is not among them in the shortest of several. */
  async function statements(of: TestService, path: string): Promise<number> {
    const counts: number[] = [];
    for (let attempt = 0; attempt < 5; attempt += 1) {
      let count = 0;
      // `summaries` of the plugin asks once for the whole page
      const note = ({ sql }: { sql: string }) => void (sql === 'select 1 as one' || (count += 1));
      of.services.db.on('query', note);
      expect((await of.get(path)).status).to.equal(200);
      of.services.db.off('query', note);
      counts.push(count);
    }
    return Math.min(...counts);
  }

  it('show what was sent, and defaults where nothing was', async () => {
    expect(made).to.include({
      policy_enforcement: 'enforce',
      policy_limit: 7,
      policy_token: '',
      policy_reviewed: null,
      policy_credential: null,
      policy_runs: 0,
      second_note: 'x',
      third_note: 'of third',
      policy_grade: 'strict: enforce',
    });
    expect(made.policy_labels).to.deep.equal(["what's new?"]);
    const { body } = await service.get('organizations/?name=Default');
    expect(body.results[0]).to.include({ policy_enforcement: 'none', policy_limit: null, third_note: 'x' });
    expect(body.results[0].policy_labels).to.deep.equal(["what's new?"]);
  });

  it('are stored in the side table only where they differ from their defaults', async () => {
    const stored = await db()('plugin_policy.organization_settings').select('organization_id', 'policy_enforcement');
    expect(stored).to.deep.equal([{ organization_id: made.id, policy_enforcement: 'enforce' }]);
    expect(await db()('plugin_second.extras')).to.deep.equal([]);
    const { body } = await service.post('organizations/', { name: 'usual', policy_enforcement: 'none' });
    expect(await db()('plugin_policy.organization_settings').where('organization_id', body.id)).to.deep.equal([]);
  });

  it('cost no further statement, neither on lists nor on details, however many plugins add some', async () => {
    for (const path of ['organizations/', 'organizations/1/', 'job_templates/', 'hosts/'])
      expect(await statements(service, path), path).to.equal(await statements(plain, path));
    await Promise.all(Array.from({ length: 20 }, (_, index) => service.post('organizations/', { name: `n${index}` })));
    const one = await statements(service, 'organizations/?page_size=1');
    expect(await statements(service, 'organizations/?page_size=20')).to.equal(one);
  });

  it('can be filtered and ordered by, negated, and over links', async () => {
    expect(await names('policy_enforcement=enforce')).to.deep.equal(['strict']);
    expect(await names('policy_enforcement__in=warn,enforce&policy_limit__gte=7')).to.deep.equal(['strict']);
    expect(await names('not__policy_enforcement=none')).to.deep.equal(['strict']);
    expect(await names('policy_limit__isnull=false')).to.deep.equal(['strict']);
    expect((await names('order_by=-policy_enforcement&page_size=200')).at(-1)).to.equal('strict');
    expect((await names('order_by=policy_enforcement,name&page_size=1'))[0]).to.equal('strict');
    expect((await names('order_by=-policy_limit,third_note,second_note,policy_enforcement')).length).to.be.greaterThan(
      20,
    );
    expect(await names('or__policy_limit=7&or__third_note=of third&policy_enforcement__icontains=FORCE')).to.deep.equal(
      ['strict'],
    );
    expect(await names('policy_enforcement=none&policy_limit__isnull=true&name=Default')).to.deep.equal(['Default']);
    expect(await names('not__policy_limit=7&name__in=strict,Default')).to.deep.equal(['Default']);
    expect(await names('policy_reviewed__gte=2020-01-01T00:00:00Z')).to.deep.equal([]);
    await service.post('inventories/', { name: 'in strict', organization: made.id });
    const inventories = async (query: string) =>
      (await service.get(`inventories/?${query}`)).body.results.map(({ name }: any) => name);
    expect(await inventories('organization__policy_enforcement=enforce')).to.deep.equal(['in strict']);
    expect((await inventories('order_by=organization__policy_enforcement'))[0]).to.equal('in strict');
    expect((await service.get('organizations/?policy_grade=x')).status).to.equal(400);
    expect((await service.get('organizations/?policy_token=x')).status).to.equal(403);
  });

  it('are validated with the field named, and nothing is written then', async () => {
    const refused = await patch({
      policy_enforcement: 'maybe',
      policy_limit: 101,
      policy_labels: {},
      description: 'new',
    });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.deep.equal({
      policy_enforcement: ['"maybe" is not a valid choice.'],
      policy_limit: ['Ensure this value is less than or equal to 100.'],
      policy_labels: ['Expected a list of items but got type "dict".'],
    });
    expect((await patch({ policy_credential: 4711 })).body).to.deep.equal({
      policy_credential: ['Invalid pk "4711" - object does not exist.'],
    });
    const taken = await service.post('organizations/', { name: 'late', policy_limit: 7 });
    expect(taken.status).to.equal(400);
    expect(taken.body).to.deep.equal({ policy_limit: ['Organization with this Policy Limit already exists.'] });
    expect(await names('name=late')).to.deep.equal([]);
  });

  it('follow PATCH and PUT as the rest of the row does', async () => {
    const { body } = await patch({ policy_reviewed: '2026-01-02T03:04:05Z', policy_runs: 9 });
    expect(body).to.include({ policy_reviewed: '2026-01-02T03:04:05Z', policy_enforcement: 'enforce', policy_runs: 0 });
    const other = (await service.post('organizations/', { name: 'put', policy_enforcement: 'warn', policy_limit: 9 }))
      .body;
    const replaced = await service.request('PUT', `organizations/${other.id}/`, {
      body: { name: 'put', policy_limit: 10 },
    });
    expect(replaced.body).to.include({ policy_enforcement: 'none', policy_limit: 10 });
  });

  it('keep what the plugin itself writes into the row meanwhile', async () => {
    await db()('plugin_policy.organization_settings').where('organization_id', made.id).update({ policy_runs: 5 });
    expect((await patch({ policy_limit: 8 })).body).to.include({ policy_runs: 5, policy_limit: 8 });
    await db()('plugin_policy.organization_settings').where('organization_id', made.id).update({ policy_runs: 0 });
  });

  it('hold links to other resources with their summaries', async () => {
    const types = (await service.get('credential_types/?page_size=1')).body.results;
    const credential = (
      await service.post('credentials/', {
        name: 'key',
        credential_type: types[0].id,
        organization: made.id,
        inputs: {},
      })
    ).body;
    const { body } = await patch({ policy_credential: credential.id });
    expect(body.policy_credential).to.equal(credential.id);
    expect(body.related.policy_credential).to.equal(`/api/v2/credentials/${credential.id}/`);
    expect(body.summary_fields.policy_credential).to.include({ id: credential.id, name: 'key' });
    expect(await names('policy_credential__name=key')).to.deep.equal(['strict']);
    expect((await patch({ policy_credential: null })).body.policy_credential).to.equal(null);
  });

  it('keep secrets encrypted, unreadable by filters, and as they are when they are sent back', async () => {
    const { body } = await patch({ policy_token: 'top secret' });
    expect(body.policy_token).to.equal('$encrypted$');
    const read = async () =>
      (await db()('plugin_policy.organization_settings').where('organization_id', made.id).first()).policy_token;
    const stored = await read();
    expect(stored).to.match(/^tap1:/);
    const cell = { table: 'plugin_policy.organization_settings', column: 'policy_token', id: made.id };
    expect(service.services.keyRing.decrypt(stored, cell)).to.equal('top secret');
    await patch({ policy_token: '$encrypted$', policy_limit: 11 });
    expect(await read()).to.equal(stored);
    expect((await service.get(`organizations/${made.id}/`)).body.policy_token).to.equal('$encrypted$');
    expect((await patch({ policy_token: '' })).body.policy_token).to.equal('');
  });

  it('are described to clients, with the same rights', async () => {
    const { actions } = (await service.request('OPTIONS', 'organizations/')).body;
    expect(actions.POST.policy_enforcement).to.deep.include({
      type: 'choice',
      required: false,
      default: 'none',
      help_text: "What isn't allowed?",
    });
    expect(actions.GET.policy_enforcement.filterable).to.equal(true);
    expect(actions.GET.policy_token).to.include({ type: 'string', filterable: false });
    expect(actions.POST).not.to.have.any.keys('policy_runs', 'policy_grade');
    const { components } = (await service.get('openapi.json')).body;
    expect(components.schemas.organization.properties).to.include.keys(
      'policy_enforcement',
      'third_note',
      'policy_grade',
    );
    expect(components.schemas.organization_create.properties.policy_limit).to.include({ minimum: 1, maximum: 100 });
    const { components: bare } = (await plain.get('openapi.json')).body;
    expect(bare.schemas.organization.properties).not.to.have.any.keys('policy_enforcement', 'third_note');
  });

  it('are told of in the activity stream', async () => {
    await patch({ policy_enforcement: 'warn', policy_token: 'other' });
    const { body } = await service.get('activity_stream/?order_by=-id&page_size=1');
    expect(body.results[0].operation).to.equal('update');
    expect(body.results[0].changes).to.deep.include({ policy_enforcement: ['enforce', 'warn'] });
    expect(JSON.stringify(body.results[0])).not.to.contain('other').and.not.to.contain('tap1:');
    await patch({ policy_enforcement: 'enforce' });
    const created = (await service.post('organizations/', { name: 'told', policy_enforcement: 'warn' })).body;
    const [entry] = (await service.get(`activity_stream/?order_by=-id&page_size=1`)).body.results;
    expect(entry.changes).to.include({ name: 'told', policy_enforcement: 'warn' });
    await service.request('DELETE', `organizations/${created.id}/`);
    const [deleted] = (await service.get(`activity_stream/?order_by=-id&page_size=1`)).body.results;
    expect(deleted.changes).to.include({ name: 'told', policy_enforcement: 'warn' });
  });

  it('change the time of the last change, so that If-Match notices them', async () => {
    const before = await service.get(`organizations/${made.id}/`);
    const etag = before.headers.get('etag')!;
    expect((await patch({ third_note: 'newer' })).status).to.equal(200);
    const late = await service.request('PATCH', `organizations/${made.id}/`, {
      body: { third_note: 'late' },
      headers: { 'If-Match': etag },
    });
    expect(late.status).to.equal(412);
  });

  it('go with the row of core', async () => {
    const gone = (await service.post('organizations/', { name: 'gone', policy_limit: 50 })).body;
    await service.request('DELETE', `organizations/${gone.id}/`);
    expect(await db()('plugin_policy.organization_settings').where('organization_id', gone.id)).to.deep.equal([]);
  });

  it('are copied along, secrets included', async () => {
    const project = (
      await service.post('projects/', { name: 'p', organization: made.id, scm_type: '', local_path: '' })
    ).body;
    await db()('templates')
      .where('id', project.id)
      .update({ scm_type: 'git', playbook_files: JSON.stringify(['x.yml']) });
    const inventory = (await service.post('inventories/', { name: 'copying', organization: made.id })).body;
    const template = await service.post('job_templates/', {
      name: 'one',
      project: project.id,
      inventory: inventory.id,
      playbook: 'x.yml',
      policy_reason: 'audit',
      policy_key: 'k1',
    });
    expect(template.status, JSON.stringify(template.body)).to.equal(201);
    const copied = await service.post(`job_templates/${template.body.id}/copy/`, { name: 'two' });
    expect(copied.body).to.include({ name: 'two', policy_reason: 'audit', policy_key: '$encrypted$' });
    const row = await db()('plugin_policy.template_settings').where('job_template_id', copied.body.id).first();
    const cell = { table: 'plugin_policy.template_settings', column: 'policy_key', id: copied.body.id };
    expect(service.services.keyRing.decrypt(row.policy_key, cell)).to.equal('k1');
  });

  it('come with links, summaries and lists, which take nothing of core away', async () => {
    const { body } = await service.get(`organizations/${made.id}/`);
    expect(body.related).to.include({
      policy_report: `/api/v2/policy_reports/${made.id}/`,
      policy_admins: `/api/v2/organizations/${made.id}/policy_admins/`,
      users: `/api/v2/organizations/${made.id}/users/`,
    });
    expect(body.summary_fields.policy).to.deep.equal({ one: 1 });
    expect(body.summary_fields).to.include.keys('related_field_counts', 'user_capabilities');
    const admins = await service.get(`organizations/${made.id}/policy_admins/`);
    expect(admins.body.results.map(({ username }: any) => username)).to.deep.equal(['admin']);
  });

  it('are seen by guards, before and after', async () => {
    const seen: any[] = [];
    const guarded = await bootWith({
      plugins: [
        policy((api) =>
          api.guard(
            'organization',
            'update',
            ({ rows, before }) => void seen.push([before![0].policy_limit, rows[0].policy_limit]),
          ),
        ),
      ],
    });
    const { body } = await guarded.post('organizations/', { name: 'seen', policy_limit: 1 });
    await guarded.request('PATCH', `organizations/${body.id}/`, { body: { policy_limit: 2 } });
    await guarded.stop();
    expect(seen).to.deep.equal([[1, 2]]);
  });

  const hostile: [string, any][] = [
    [
      'throw',
      {
        compute: () => {
          throw new Error('no');
        },
        related: () => {
          throw new Error('no');
        },
        summaries: () => {
          throw new Error('no');
        },
      },
    ],
    [
      'answer what JSON cannot hold',
      {
        compute: () => 10n,
        related: () => ({ a: 10n }),
        summaries: async (_: unknown, rows: any[]) => new Map([[rows[0].id, { a: 10n }]]),
      },
    ],
    ['answer something else', { compute: () => undefined, related: () => null, summaries: async () => 'nothing' }],
    ['never answer', { compute: () => new Promise(() => undefined), summaries: () => new Promise(() => undefined) }],
    [
      'change rows',
      {
        compute: (row: any) => {
          row.name = 'mine';
        },
        related: (row: any) => {
          delete row.name;
          return {};
        },
        summaries: async (_: unknown, rows: any[]) => {
          for (const row of rows) row.name = 'mine';
          return new Map();
        },
      },
    ],
  ];
  for (const [what, { compute, related, summaries }] of hostile)
    it(`that ${what} leave the rest of core alone`, async () => {
      const failing = await bootWith({
        plugins: [
          testPlugin('failing', (api) =>
            api.extend('organization', {
              fields: { broken: field.computed({ compute }) },
              ...(related && { related }),
              summaries,
            }),
          ),
        ],
      });
      const { status, body } = await failing.get('organizations/1/');
      await failing.stop();
      expect(status).to.equal(200);
      expect(body.name).to.equal('Default');
      expect(body.related.users).to.equal('/api/v2/organizations/1/users/');
      expect(body.summary_fields).to.include.keys('related_field_counts');
    });
});

describe('extensions that do not fit', function () {
  after(removeMigrationFolders);

  const refusal = (...plugins: Plugin[]): Promise<string> =>
    bootWith({ plugins }).then(
      async (service) => {
        await service.stop();
        return 'it booted';
      },
      (error: Error) => error.message,
    );

  const extending = (type: string, extension: any, sql = 'select 1') =>
    testPlugin('wrong', (api) => api.extend(type, extension), {
      migrations: migrationFolder({ '0001_a.ts': `await knex.raw(${JSON.stringify(sql)});` }),
    });

  const note = { fields: { note: field.string() } };
  const cases: [string, () => Plugin[], RegExp][] = [
    [
      'a type that nobody declares',
      () => [extending('organizations', { related: () => ({}) })],
      /plugin wrong: api\.extend\("organizations"\) names a type that nobody declares: .*perhaps "organization"/,
    ],
    [
      'a mixed list',
      () => [extending('unified_job', { fields: { x: field.computed() } })],
      /extends a list of several types.*: extend ad_hoc_command, /,
    ],
    [
      'a field of core',
      () => [extending('organization', { fields: { description: field.computed() } })],
      /adds the field description, but organization has a field of that name in core: choose another name, such as wrong_description/,
    ],
    [
      'a list of core',
      () => [extending('organization', { sublists: { teams: { resource: 'team' } } })],
      /adds the sublist teams, but organization has a list of that name/,
    ],
    [
      'a field of another plugin',
      () => [tiny('first', 'note'), tiny('second', 'note')],
      /plugin second: api\.extend\("organization"\).*note.*plugin first/,
    ],
    [
      'a table that is not there',
      () => [extending('organization', { table: 'nothing', ...note })],
      /has no table plugin_wrong\.nothing: make it in a migration/,
    ],
    [
      'a column that is not there',
      () => [
        extending(
          'organization',
          { table: 'a', ...note },
          'create table a (organization_id bigint primary key references organizations on delete cascade)',
        ),
      ],
      /has no column note in plugin_wrong\.a for its field note/,
    ],
    [
      'a table that leaves rows behind',
      () => [
        extending(
          'organization',
          { table: 'a', ...note },
          'create table a (organization_id bigint primary key, note text)',
        ),
      ],
      /needs plugin_wrong\.a\.organization_id to be a foreign key to organizations that deletes along: in the migration: t\.bigInteger/,
    ],
    [
      'a table without its key',
      () => [
        extending(
          'organization',
          { table: 'a', ...note },
          'create table a (organization_id bigint references organizations on delete cascade, note text)',
        ),
      ],
      /needs plugin_wrong\.a\.organization_id to be its primary key: in/,
    ],
    [
      'a required field',
      () => [
        extending(
          'organization',
          { table: 'a', fields: { note: field.string({ required: true }) } },
          'create table a (organization_id bigint primary key references organizations on delete cascade, note text)',
        ),
      ],
      /makes its field note required: give it a default/,
    ],
  ];
  for (const [what, plugins, message] of cases)
    it(`name the plugin, the call and the remedy: ${what}`, async () => {
      expect(await refusal(...plugins())).to.match(message);
    });

  it('leave an optional plugin out', async () => {
    const service = await bootWith({
      plugins: [{ plugin: extending('nothing', { related: () => ({}) }), optional: true }],
    });
    expect((await service.get('organizations/')).status).to.equal(200);
    await service.stop();
  });
});

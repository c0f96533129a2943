import { authenticated, field, type Plugin, type PluginApi } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { keysInUse, rotateKeys } from '../../core/secrets/rotate.ts';
import { migrationFolder, removeMigrationFolders } from '../support/plugin-migrations.ts';
import { bootWith, testPlugin } from '../support/plugins.ts';
import type { TestService } from '../support/service.ts';

const tables = `await knex.schema.createTable('hooks', (t) => {
    t.bigIncrements('id');
    t.text('name').notNullable();
    t.text('token').notNullable();
    t.text('stored_pin').notNullable().defaultTo('');
    t.text('digest').notNullable().defaultTo('');
    t.timestamp('modified').notNullable().defaultTo(knex.fn.now());
  });
  await knex.schema.createTable('organization_keys', (t) => {
    t.bigInteger('organization_id').primary().references('organizations.id').onDelete('cascade');
    t.text('vault_token').notNullable().defaultTo('');
  });`;

describe('secrets of plugins', function () {
  let service: TestService;
  let door: PluginApi;
  let hook: any;

  const keeper = (): Plugin =>
    testPlugin(
      'keeper',
      (api) => {
        door = api;
        const access = { see: authenticated, create: authenticated, change: authenticated };
        api.resource({
          type: 'hook_receiver',
          path: 'hook_receivers',
          table: 'hooks',
          label: 'Receiver',
          fields: {
            name: field.string({ required: true }),
            token: field.string({ secret: true }),
            pin: field.string({ secret: true, mode: 'wo', column: 'stored_pin' }),
            digest: field.string({ secret: true, mode: 'ro' }),
          },
          access,
          orderBy: ['id'],
        });
        api.extend('organization', {
          table: 'organization_keys',
          fields: { vault_token: field.string({ secret: true }) },
        });
      },
      { migrations: migrationFolder({ '0001_tables.ts': tables }) },
    );

  before(async () => {
    service = await bootWith({ plugins: [keeper()] });
    hook = (await service.post('hook_receivers/', { name: 'h', token: 's3cret', pin: '1234' })).body;
  });
  after(async () => {
    await service.stop();
    removeMigrationFolders();
  });

  const row = (id = hook.id) => service.database.db('plugin_keeper.hooks').where({ id }).first();
  const open = async (column: string, id = hook.id) =>
    door.secrets.open((await row(id))[column], { table: 'hooks', column, id });
  const patch = (body: unknown) => service.request('PATCH', hook.url, { body });

  it('are stored encrypted and shown as such, or not at all', async () => {
    expect(hook).to.include({ token: '$encrypted$' });
    expect(hook).not.to.have.any.keys('pin', 'stored_pin', 'digest');
    expect((await service.get(hook.url)).body.token).to.equal('$encrypted$');
    expect((await service.get('hook_receivers/')).body.results[0].token).to.equal('$encrypted$');
    const { token, stored_pin: pin } = await row();
    expect([token, pin].every((text) => text.startsWith('tap1:'))).to.equal(true);
    expect([await open('token'), await open('stored_pin')]).to.deep.equal(['s3cret', '1234']);
  });

  it('are opened from their own place only', async () => {
    const { token } = await row();
    expect(() => door.secrets.open(token, { table: 'hooks', column: 'stored_pin', id: hook.id })).to.throw(
      /belongs elsewhere/,
    );
    expect(
      door.secrets.open(door.secrets.seal('x', { table: 'hooks', column: 'digest', id: 9 }), {
        table: 'hooks',
        column: 'digest',
        id: 9,
      }),
    ).to.equal('x');
  });

  it('stay when they are sent back as they were read, change when they are not, and can be emptied', async () => {
    const before = (await row()).token;
    await patch({ name: 'renamed', token: '$encrypted$' });
    expect((await row()).token).to.equal(before);
    await service.request('PUT', hook.url, { body: { name: 'put' } });
    expect((await row()).token).to.equal(before);
    await patch({ token: 'n3w' });
    expect(await open('token')).to.equal('n3w');
    expect((await patch({ token: '' })).body.token).to.equal('');
    expect((await row()).token).to.equal('');
    await patch({ token: 's3cret' });
    const empty = await service.post('hook_receivers/', { name: 'none', token: '$encrypted$' });
    expect([empty.status, empty.body.token]).to.deep.equal([201, '']);
  });

  it('are no filter, and never in the activity stream', async () => {
    expect((await service.get('hook_receivers/?token=s3cret')).status).to.equal(403);
    expect((await service.get('hook_receivers/?order_by=token')).status).to.equal(403);
    const { body } = await service.get('activity_stream/?object1=hook_receiver');
    expect(JSON.stringify(body)).not.to.match(/s3cret|n3w|1234|tap1:/);
    expect(JSON.stringify(body)).to.contain('"hidden"');
  });

  it('get a new key with all others', async () => {
    const patched = await service.request('PATCH', 'organizations/1/', { body: { vault_token: 'deep' } });
    expect(patched.body.vault_token, JSON.stringify(patched.body)).to.equal('$encrypted$');
    const { db } = service.database;
    const { keyRing } = service.services;
    const report = await rotateKeys({ db, keyRing });
    expect(report.reencrypted).to.be.greaterThan(2);
    expect(report.unreadable).to.deep.equal([]);
    expect([...(await keysInUse(db))]).to.deep.equal([report.active]);
    expect(await open('token')).to.equal('s3cret');
    const [{ vault_token: stored }] = await db('plugin_keeper.organization_keys');
    expect(door.secrets.open(stored, { table: 'organization_keys', column: 'vault_token', id: 1 })).to.equal('deep');
  });
});

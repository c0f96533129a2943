import { expect } from 'chai';
import { usesOfCredentials } from '../../core/credentials/in-use.ts';
import { loadCredentials } from '../../core/credentials/resolve.ts';
import { type Api, basic, startApi } from '../support/api.ts';
import { add } from '../inventory/seed.ts';
import { opensshKey } from './ssh-keys.ts';

describe('credentials', () => {
  let api: Api;
  let organization: number;
  const types: Record<string, number> = {};
  before(async () => {
    api = await startApi();
    [{ id: organization }] = await api.db('organizations').insert({ name: 'Org' }).returning('id');
    for (const { namespace, id } of await api.db('credential_types').whereNotNull('namespace')) types[namespace] = id;
  });
  after(() => api?.stop());
  let serial = 0;
  const body = (inputs: object, type = 'ssh', extra: object = {}) => ({
    name: `c${++serial}`,
    organization,
    credential_type: types[type],
    inputs,
    ...extra,
  });
  const create = (inputs: object, type = 'ssh', extra: object = {}) =>
    add(api, '/api/v2/credentials/', body(inputs, type, extra));
  const refused = async (inputs: unknown, type = 'ssh') => {
    const answer = await api.admin('POST', '/api/v2/credentials/', body(inputs as object, type));
    expect(answer.status, answer.text).to.equal(400);
    return answer.body;
  };
  const plain = async (id: number) => (await loadCredentials(api.db, api.keyRing, [id]))[0]!.inputs;

  it('show their secrets masked and everything else as sent', async () => {
    const credential = await create({
      username: ' ann ',
      password: 'canary-pw',
      become_method: '',
      become_password: '',
    });
    expect(credential).to.include({
      type: 'credential',
      organization,
      kind: 'ssh',
      cloud: false,
      kubernetes: false,
      managed: false,
    });
    expect(credential.inputs).to.deep.equal({
      username: ' ann ',
      password: '$encrypted$',
      become_method: '',
      become_password: '',
    });
    expect(credential).not.to.have.any.keys('user', 'team', 'stored_inputs');
    expect(credential.summary_fields.owners).to.deep.equal([
      {
        id: organization,
        type: 'organization',
        name: 'Org',
        description: '',
        url: `/api/v2/organizations/${organization}/`,
      },
    ]);
    expect(credential.summary_fields.credential_type).to.include({ name: 'Machine' });
  });

  it('keep their secrets encrypted, each bound to its row and input', async () => {
    const { id } = await create({ password: 'canary-rest', become_password: 'canary-rest' });
    const stored = (await api.db('credentials').where({ id }).first()).inputs;
    expect(JSON.stringify(stored)).not.to.include('canary');
    expect(stored.password).not.to.equal(stored.become_password);
    await api
      .db('credentials')
      .where({ id })
      .update({ inputs: JSON.stringify({ ...stored, become_password: stored.password }) });
    const failure = await loadCredentials(api.db, api.keyRing, [id]).then(
      () => null,
      (error: Error) => error,
    );
    expect(failure?.message)
      .to.match(/altered or belongs elsewhere/)
      .and.not.include('canary');
    await api.db('credentials').where({ id }).delete();
  });

  it('replace all inputs on PATCH, keep what is masked, erase what is left out', async () => {
    const { id, url } = await create({ username: 'u', password: 'one', become_password: 'two' });
    const { body: changed } = await api.admin('PATCH', url, {
      inputs: { password: '$encrypted$', become_method: 'sudo' },
    });
    expect(changed.inputs).to.deep.equal({ password: '$encrypted$', become_method: 'sudo' });
    expect(await plain(id)).to.deep.equal({ password: 'one', become_method: 'sudo' });
    await api.admin('PATCH', url, { description: 'x' });
    expect(await plain(id)).to.deep.equal({ password: 'one', become_method: 'sudo' });
    const whole = (await api.admin('GET', url)).body;
    expect((await api.admin('PUT', url, whole)).status).to.equal(200);
    expect(await plain(id)).to.deep.equal({ password: 'one', become_method: 'sudo' });
    await api.admin('PATCH', url, { inputs: {} });
    expect(await plain(id)).to.deep.equal({});
  });

  it('lose no secret when two changes come at once', async () => {
    const { id, url } = await create({ password: 'old' });
    await Promise.all([
      api.admin('PATCH', url, { inputs: { password: 'new', username: 'a' } }),
      ...Array.from({ length: 4 }, (_, index) =>
        api.admin('PATCH', url, { inputs: { password: '$encrypted$', username: `b${index}` } }),
      ),
    ]);
    expect((await plain(id)).password).to.equal('new');
  });

  it('do not accept the mask where nothing is stored', async () => {
    expect((await refused({ password: '$encrypted$' })).inputs).to.have.all.keys('password');
    const { url } = await create({ username: 'u' });
    expect((await api.admin('PATCH', url, { inputs: { password: '$encrypted$' } })).status).to.equal(400);
  });

  it('hold ASK only where the launch can ask', async () => {
    const { inputs, id } = await create({ password: 'ASK', become_password: 'ASK', ssh_key_unlock: 'ASK' });
    expect(inputs).to.deep.equal({ password: 'ASK', become_password: 'ASK', ssh_key_unlock: 'ASK' });
    expect((await plain(id)).password).to.equal('ASK');
    expect((await refused({ username: 'ASK' })).inputs).to.have.all.keys('username');
    expect((await refused({ password: 'ASK' }, 'scm')).inputs).to.have.all.keys('password');
  });

  it('hold no expression where the engine would evaluate it', async () => {
    for (const name of ['username', 'become_method', 'become_username'])
      expect((await refused({ [name]: "{{ lookup('pipe', 'id') }}" })).inputs).to.have.all.keys(name);
    await create({ username: 'DOMAIN\\user', password: '{{ is a password }}' });
  });

  it('name an unknown input', async () => {
    expect((await refused({ pasword: 'canary-typo' })).inputs[0])
      .to.include('"pasword"')
      .and.not.include('canary');
    await refused(JSON.parse('{"__proto__": "x"}'));
    expect((await refused({ constructor: 'x' })).inputs[0]).to.include('constructor');
  });

  for (const value of [5, true, ['canary'], { a: 'canary' }, 'a\0b', 'x'.repeat(100_001), '\ud800']) {
    it(`refuse the secret ${JSON.stringify(value).slice(0, 20)} without repeating it`, async () => {
      expect(JSON.stringify(await refused({ password: value })))
        .to.include('inputs')
        .and.not.include('canary');
    });
  }

  it('take null for blank', async () => {
    expect((await create({ username: null, password: null })).inputs).to.deep.equal({ username: '', password: '' });
  });

  for (const inputs of ['text', 5, ['a'], true]) {
    it(`refuse inputs that are ${JSON.stringify(inputs)}`, async () =>
      expect(await refused(inputs)).to.have.all.keys('inputs'));
  }

  it('accept missing required inputs and tell the runner', async () => {
    const { id } = await create({}, 'vault');
    expect((await loadCredentials(api.db, api.keyRing, [id]))[0]!.missing).to.deep.equal(['Vault Password']);
  });

  describe('with an ssh key', () => {
    const key = opensshKey();
    const locked = opensshKey('pass');

    it('keep it trimmed', async () => {
      const { id, inputs } = await create({ ssh_key_data: `\n  ${key.replaceAll('\n', '\r\n')}\n\n` });
      expect(inputs).to.deep.equal({ ssh_key_data: '$encrypted$' });
      expect((await plain(id)).ssh_key_data).to.equal(key.trim());
    });

    it('refuse what is none', async () => {
      expect((await refused({ ssh_key_data: 'canary' })).inputs.ssh_key_data[0])
        .to.match(/^is not a private key/)
        .and.not.include('canary');
    });

    it('need the passphrase of an encrypted one, and the right one', async () => {
      expect((await refused({ ssh_key_data: locked })).inputs).to.deep.equal({
        ssh_key_unlock: ['must be set when SSH key is encrypted'],
      });
      expect((await refused({ ssh_key_data: locked, ssh_key_unlock: 'canary' })).inputs.ssh_key_unlock[0]).to.equal(
        'does not unlock the SSH key',
      );
      expect((await refused({ ssh_key_data: key, ssh_key_unlock: 'x' })).inputs.ssh_key_unlock[0]).to.match(
        /not encrypted/,
      );
      await create({ ssh_key_data: locked, ssh_key_unlock: 'pass' });
      await create({ ssh_key_data: locked, ssh_key_unlock: 'ASK' });
      await create({ ssh_key_data: locked, ssh_key_unlock: 'pass' }, 'scm');
    });

    it('are judged with the stored half as well', async () => {
      const { url, id } = await create({ ssh_key_data: locked, ssh_key_unlock: 'pass' });
      expect(
        (
          await api.admin('PATCH', url, {
            inputs: { ssh_key_data: '$encrypted$', ssh_key_unlock: '$encrypted$', username: 'u' },
          })
        ).status,
      ).to.equal(200);
      expect((await plain(id)).ssh_key_unlock).to.equal('pass');
      expect((await api.admin('PATCH', url, { inputs: { ssh_key_data: '$encrypted$' } })).body.inputs).to.have.all.keys(
        'ssh_key_unlock',
      );
      expect(
        (await api.admin('PATCH', url, { inputs: { ssh_key_data: '$encrypted$', ssh_key_unlock: 'wrong' } })).status,
      ).to.equal(400);
    });
  });

  it('keep their vault id, which has no @', async () => {
    expect((await refused({ vault_password: 'x', vault_id: 'a@b' }, 'vault')).inputs).to.have.all.keys('vault_id');
    const { url } = await create({ vault_password: 'x', vault_id: 'prod' }, 'vault');
    for (const inputs of [{ vault_password: '$encrypted$', vault_id: 'dev' }, { vault_password: '$encrypted$' }]) {
      expect((await api.admin('PATCH', url, { inputs })).body.inputs).to.have.all.keys('vault_id');
    }
    expect((await api.admin('PATCH', url, { inputs: { vault_password: 'y', vault_id: 'prod' } })).status).to.equal(200);
  });

  it('change their type only together with the inputs, and not once they are used', async () => {
    const { url, id } = await create({ username: 'u', password: 'p' });
    expect((await api.admin('PATCH', url, { credential_type: types.scm })).body).to.have.all.keys('inputs');
    expect(
      (await api.admin('PATCH', url, { credential_type: types.scm, inputs: { password: '$encrypted$' } })).status,
      'nothing is kept across types',
    ).to.equal(400);
    expect(
      (await api.admin('PATCH', url, { credential_type: types.scm, inputs: { password: 'q' } })).body.kind,
    ).to.equal('scm');
    const [{ id: template }] = await api.db('templates').insert({ kind: 'job_template', name: 'T' }).returning('id');
    await api.db('template_credentials').insert({ template_id: template, credential_id: id });
    expect((await api.admin('PATCH', url, { credential_type: types.ssh, inputs: {} })).body).to.have.all.keys(
      'credential_type',
    );
    expect((await api.admin('PATCH', url, { credential_type: types.scm, inputs: { password: 'r' } })).status).to.equal(
      200,
    );
  });

  describe('keep their type where they are used', () => {
    it('wherever a table names one', async () => {
      const { rows } = await api.db.raw(
        `select c.conrelid::regclass::text as "table", a.attname::text as "column"
           from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
          where c.contype = 'f' and c.confrelid = 'credentials'::regclass and c.conparentid = 0`,
      );
      expect(usesOfCredentials).to.have.deep.members(rows);
    });

    for (const { table, column } of usesOfCredentials)
      it(`as ${column} in ${table}`, async () => {
        const { url, id } = await create({ username: 'u' });
        const row = await rowOf(table);
        // what else the row names is of no concern here
        await api.db.transaction(async (trx) => {
          await trx.raw('set local session_replication_role = replica');
          await trx(table).insert({ ...row, [column]: id });
        });
        const { status, body } = await api.admin('PATCH', url, { credential_type: types.scm, inputs: {} });
        expect([status, Object.keys(body)]).to.deep.equal([400, ['credential_type']]);
      });

    /** What a row has to hold besides. */
    async function rowOf(table: string): Promise<Record<string, unknown>> {
      const { rows } = await api.db.raw(
        `select column_name as name, data_type as type from information_schema.columns
          where table_schema = current_schema() and table_name = ? and is_nullable = 'NO' and column_default is null and is_identity = 'NO'`,
        [table],
      );
      const value = (type: string) => (/int/.test(type) ? -++serial : /json/.test(type) ? '{}' : `x${++serial}`);
      const kind = { templates: { kind: 'job_template' }, runs: { kind: 'job' } }[table];
      return { ...Object.fromEntries(rows.map(({ name, type }: any) => [name, value(type)])), ...kind };
    }
  });

  it('have exactly one owner', async () => {
    const none = await api.admin('POST', '/api/v2/credentials/', { name: 'x', credential_type: types.ssh });
    expect(none.status).to.equal(400);
    expect(none.body.detail).to.be.an('array').with.length(1);
    const two = await api.admin('POST', '/api/v2/credentials/', { ...body({}), user: 1 });
    expect(two.body.detail).to.be.an('array');
    const team = await api.admin('POST', '/api/v2/credentials/', { name: 'x', credential_type: types.ssh, team: 1 });
    expect(team.body).to.have.all.keys('team');
    expect(
      (await api.admin('POST', '/api/v2/credentials/', { name: 'x', credential_type: types.ssh, user: 99999 })).body,
    ).to.have.all.keys('user');
    const owned = await create({}, 'ssh', { organization: undefined, user: 1 });
    expect(owned.related.user).to.equal('/api/v2/users/1/');
    expect(owned.summary_fields.owners[0]).to.include({ id: 1, type: 'user', name: 'admin' });
    expect((await api.admin('GET', `${owned.url}owner_users/`)).body.results[0].username).to.equal('admin');
    expect(
      (await add(api, '/api/v2/users/1/credentials/', { name: 'below', credential_type: types.ssh })).organization,
    ).to.equal(null);
  });

  it('belong to their owner alone', async () => {
    const user = await add(api, '/api/v2/users/', { username: 'own', password: 'pw' });
    const other = await add(api, '/api/v2/users/', { username: 'oth', password: 'pw' });
    const client = api.as(basic('own', 'pw'));
    const made = await client('POST', '/api/v2/credentials/', {
      name: 'mine',
      user: user.id,
      credential_type: types.ssh,
      inputs: { password: 'p' },
    });
    expect(made.status).to.equal(201);
    expect((await client('PATCH', made.body.url, { inputs: { username: 'u' } })).status).to.equal(200);
    expect((await client('PATCH', made.body.url, { organization })).status).to.be.oneOf([400, 403]);
    expect((await api.as(basic('oth', 'pw'))('GET', made.body.url)).status).to.equal(404);
    expect(
      (await client('POST', '/api/v2/credentials/', { name: 'n', user: other.id, credential_type: types.ssh })).status,
    ).to.equal(403);
    expect(
      (await client('POST', '/api/v2/credentials/', { name: 'n', organization, credential_type: types.ssh })).status,
    ).to.equal(403);
    expect((await client('GET', '/api/v2/credentials/')).body.count).to.equal(1);
  });

  it('are copied with their secrets', async () => {
    const { url, id, name } = await create({ username: 'u', password: 'canary-copy' });
    expect((await api.admin('GET', `${url}copy/`)).body).to.deep.equal({ can_copy: true });
    const copy = await add(api, `${url}copy/`, { name: `${name} copy` });
    expect(copy.inputs).to.deep.equal({ username: 'u', password: '$encrypted$' });
    expect(await plain(copy.id)).to.deep.equal(await plain(id));
    expect((await api.admin('POST', `${url}copy/`, { name })).body).to.have.all.keys('__all__');
    expect((await api.admin('POST', `${url}copy/`, { name: `${name} copy` })).text).to.include('already exists');
    expect((await api.admin('POST', `${url}copy/`, {})).body).to.have.all.keys('name');
    // a number is its digits, as in any name
    expect((await add(api, `${url}copy/`, { name: 5 })).name).to.equal('5');
    for (const bad of [null, '', 'a\0', {}])
      expect((await api.admin('POST', `${url}copy/`, { name: bad })).status).to.equal(400);
  });

  it('cannot be filtered or ordered by inputs', async () => {
    for (const query of [
      'inputs=x',
      'inputs__icontains=canary',
      'order_by=inputs',
      'or__inputs__contains=x',
      'not__inputs=x',
    ]) {
      expect((await api.admin('GET', `/api/v2/credentials/?${query}`)).status, query).to.equal(403);
    }
    expect((await api.admin('GET', '/api/v2/organizations/?credentials__inputs__contains=x')).status).to.be.oneOf([
      400, 403,
    ]);
    expect(
      (await api.admin('GET', `/api/v2/credentials/?credential_type__kind=ssh&page_size=200`)).body.count,
    ).to.be.greaterThan(0);
  });

  it("that are managed are nobody's to change", async () => {
    const { url, id } = await create({});
    await api.db('credentials').where({ id }).update({ managed: true });
    expect((await api.admin('PATCH', url, { name: 'x' })).status).to.equal(403);
    expect((await api.admin('DELETE', url)).status).to.equal(403);
  });

  it('leave no trace of a secret when the database refuses the row', async () => {
    await api.db.raw(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$`,
    );
    await api.db.raw('create trigger refuse before insert on credentials for each row execute function refuse()');
    const answer = await api.admin(
      'POST',
      '/api/v2/credentials/',
      body({ password: 'canary-refused', ssh_key_data: opensshKey() }),
    );
    await api.db.raw('drop trigger refuse on credentials');
    expect(answer.status).to.equal(500);
    expect(answer.body).to.have.all.keys('detail');
    expect(answer.text + api.logged())
      .not.to.include('canary')
      .and.not.include('BEGIN OPENSSH');
  });

  it('leave no trace of a secret in any list, detail or log', async () => {
    const shown = await Promise.all(
      [
        '/api/v2/credentials/?page_size=200',
        '/api/v2/credential_types/',
        '/api/v2/users/1/credentials/',
        `/api/v2/organizations/${organization}/credentials/`,
      ].map(async (path) => {
        const { status, text } = await api.admin('GET', path);
        expect(status, path).to.equal(200);
        return text;
      }),
    );
    expect(shown[0]).to.include('$encrypted$');
    expect(shown.join('')).not.to.include('canary').and.not.include('tap1:');
    expect(api.logged()).not.to.include('canary').and.not.include('BEGIN OPENSSH');
  });
});

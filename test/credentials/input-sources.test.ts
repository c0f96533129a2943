import { expect } from 'chai';
import { add } from '../inventory/seed.ts';
import { type Api, basic, startApi } from '../support/api.ts';

describe('credential input sources', () => {
  let api: Api;
  const types: Record<string, number> = {};
  let organization: number;
  before(async () => {
    api = await startApi();
    [{ id: organization }] = await api.db('organizations').insert({ name: 'Org' }).returning('id');
    for (const { namespace, id } of await api.db('credential_types').whereNotNull('namespace')) types[namespace] = id;
    await add(api, '/api/v2/users/', { username: 'ann', password: 'pw' });
  });
  after(() => api?.stop());

  let serial = 0;
  const credential = (type: string, inputs: object = {}) =>
    add(api, '/api/v2/credentials/', { name: `c${++serial}`, organization, credential_type: types[type], inputs });
  const vault = () => credential('hashivault_kv', { url: 'http://vault.test', token: 'canary', api_version: 'v2' });
  const metadata = { secret_path: 'a/b', secret_key: 'k' };
  const link = async (extra: object = {}) => ({
    input_field_name: 'password',
    target_credential: (await credential('ssh')).id,
    source_credential: (await vault()).id,
    metadata,
    ...extra,
  });
  const refused = async (body: object) => {
    const answer = await api.admin('POST', '/api/v2/credential_input_sources/', body);
    expect(answer.status, answer.text).to.equal(400);
    return answer.body;
  };

  it('say which input of a credential is looked up where, and are listed below it', async () => {
    const body = await link();
    const made = await add(api, '/api/v2/credential_input_sources/', body);
    expect(made).to.deep.include({ type: 'credential_input_source', description: '', ...body });
    expect(made).not.to.have.property('name');
    expect(made.related).to.include({
      target_credential: `/api/v2/credentials/${body.target_credential}/`,
      source_credential: `/api/v2/credentials/${body.source_credential}/`,
    });
    expect(made.summary_fields.source_credential).to.include({ kind: 'hashivault_kv', cloud: false });
    expect(made.summary_fields.user_capabilities).to.deep.equal({ delete: true });
    const list = await api.admin('GET', `/api/v2/credentials/${body.target_credential}/input_sources/`);
    expect(list.body.results.map(({ id }: any) => id)).to.deep.equal([made.id]);
    const stream = await api.admin('GET', `${made.url}activity_stream/`);
    expect(stream.body.count).to.equal(1);
    expect((await api.admin('DELETE', made.url)).status).to.equal(204);
  });

  it('judge the metadata by the type of the source', async () => {
    const body = await link();
    const judged = async (given: unknown) => (await refused({ ...body, metadata: given })).metadata;
    expect(await judged({ secret_key: 'k' })).to.deep.equal({ secret_path: ['This field is required.'] });
    expect(await judged({ ...metadata, other: 'x' })).to.deep.equal(['Unknown metadata for this source: "other"']);
    expect(await judged({ ...metadata, secret_version: 3 })).to.deep.equal({ secret_version: ['must be a string'] });
    expect(await judged('x')).to.be.an('array');
    expect(await judged({ ...metadata, secret_key: 'a\0b' })).to.be.an('array');
    const made = await add(api, '/api/v2/credential_input_sources/', body);
    const patched = await api.admin('PATCH', made.url, { metadata: { secret_path: 'c', secret_key: 'd' } });
    expect(patched.body.metadata).to.deep.equal({ secret_path: 'c', secret_key: 'd' });
    expect((await api.admin('PATCH', made.url, { metadata: {} })).body).to.have.all.keys('metadata');
    expect((await api.admin('PATCH', made.url, { description: 'x' })).status).to.equal(200);
  });

  it('refuse inputs that there are none of, sources that are none, circles, and a second one', async () => {
    const body = await link();
    expect(await refused({ ...body, input_field_name: 'other' })).to.have.all.keys('input_field_name');
    expect(await refused({ ...body, source_credential: (await credential('ssh')).id })).to.have.all.keys(
      'source_credential',
    );
    expect(
      await refused({ ...body, target_credential: (await vault()).id, input_field_name: 'token' }),
    ).to.have.all.keys('target_credential');
    expect(await refused({ ...body, target_credential: body.source_credential })).to.have.all.keys('target_credential');
    expect(await refused({})).to.have.all.keys('input_field_name', 'source_credential', 'target_credential');
    const twice = await Promise.all([1, 2].map(() => api.admin('POST', '/api/v2/credential_input_sources/', body)));
    expect(twice.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([201, 400]);
    expect(twice.find(({ status }) => status === 400)!.body.__all__[0]).to.include('already exists');
  });

  it('keep the types of both credentials, and go with either', async () => {
    const body = await link();
    const made = await add(api, '/api/v2/credential_input_sources/', body);
    for (const id of [body.target_credential, body.source_credential]) {
      const changed = await api.admin('PATCH', `/api/v2/credentials/${id}/`, {
        credential_type: types['scm'],
        inputs: {},
      });
      expect([changed.status, Object.keys(changed.body)]).to.deep.equal([400, ['credential_type']]);
    }
    await api.admin('DELETE', `/api/v2/credentials/${body.source_credential}/`);
    expect((await api.admin('GET', made.url)).status).to.equal(404);
  });

  it('are copied with their credential', async () => {
    const body = await link();
    await add(api, '/api/v2/credential_input_sources/', body);
    const copy = await add(api, `/api/v2/credentials/${body.target_credential}/copy/`, { name: 'a copy' });
    const { results } = (await api.admin('GET', `${copy.url}input_sources/`)).body;
    expect(results).to.have.lengthOf(1);
    expect(results[0]).to.deep.include({ metadata, source_credential: body.source_credential });
  });

  it('let a launch ask for nothing that is looked up', async () => {
    const target = await credential('ssh', { password: 'ASK', become_password: 'ASK' });
    await add(api, '/api/v2/credential_input_sources/', await link({ target_credential: target.id }));
    const [template] = await api
      .db('templates')
      .insert({ kind: 'job_template', name: 'T', organization_id: organization, playbook: 'a.yml' })
      .returning('id');
    await api.db('template_credentials').insert({ template_id: template.id, credential_id: target.id });
    const { body } = await api.admin('GET', `/api/v2/job_templates/${template.id}/launch/`);
    expect(body.passwords_needed_to_start).to.deep.equal(['become_password']);
  });

  it('are tried by whoever may use the source; its secrets are sent to its own server only', async () => {
    const source = await vault();
    const ann = api.as(basic('ann', 'pw'));
    const path = `/api/v2/credentials/${source.id}/test/`;
    expect((await ann('POST', path, { metadata })).status).to.equal(404);
    const { use_role: use } = source.summary_fields.object_roles;
    const { id } = (await ann('GET', '/api/v2/me/')).body.results[0];
    await api.db('role_users').insert({ role_id: use.id, user_id: id });
    const tried = await ann('POST', path, { metadata });
    expect([tried.status, Object.keys(tried.body)]).to.deep.equal([400, ['inputs']]);
    expect(tried.text).not.to.include('canary');
    const elsewhere = { inputs: { url: 'http://evil.test' }, metadata };
    expect((await ann('POST', path, elsewhere)).status).to.equal(403);
    expect(
      (await ann('POST', path, { inputs: { url: 'http://vault.test', token: '$encrypted$' }, metadata })).status,
    ).to.equal(400);
    expect((await api.admin('POST', path, elsewhere)).body).to.have.all.keys('inputs');
    expect((await api.admin('POST', path, { metadata: { other: 1 } })).body).to.have.all.keys('metadata');
    expect((await api.admin('POST', path, { inputs: { url: 5 }, metadata })).body).to.deep.equal({
      inputs: { url: ['must be a string'] },
    });
    const machine = await credential('ssh');
    expect((await api.admin('POST', `/api/v2/credentials/${machine.id}/test/`, {})).status).to.equal(400);
  });

  it('have types that superusers try before there is a credential', async () => {
    const path = `/api/v2/credential_types/${types['hashivault_kv']}/test/`;
    const body = { inputs: { url: 'http://127.0.0.1:9', token: 't', api_version: 'v1' }, metadata };
    expect((await api.as(basic('ann', 'pw'))('POST', path, body)).status).to.equal(403);
    const { status, body: said } = await api.admin('POST', path, body);
    expect([status, said.inputs]).to.deep.equal([
      400,
      'The address 127.0.0.1 is not on the public internet. An administrator can open its network with the setting OUTBOUND_ALLOWED_NETWORKS',
    ]);
    expect((await api.admin('POST', `/api/v2/credential_types/${types['ssh']}/test/`, {})).status).to.equal(400);
  });
});

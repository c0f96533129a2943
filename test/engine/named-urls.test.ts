import { expect } from 'chai';
import { type Api, startApi } from '../support/api.ts';

describe('names in addresses', () => {
  let api: Api;
  let type: number;
  let organization: number;
  before(async () => {
    api = await startApi();
    type = (await api.db('credential_types').where({ kind: 'ssh' }).first('id')).id;
    organization = (await api.admin('POST', '/api/v2/organizations/', { name: 'Ours+ & theirs' })).body.id;
  });
  after(() => api.stop());

  const credential = async (name: string, body: object) =>
    (await api.admin('POST', '/api/v2/credentials/', { name, credential_type: type, ...body })).body;
  const idAt = async (name: string) => {
    const { status, body } = await api.admin('GET', `/api/v2/credentials/${name}/`);
    return status === 200 ? body.id : status;
  };

  it('join the parts of one record by one plus, links by two, and lead back to the record', async () => {
    const { id, related } = await credential('key', { organization });
    expect(related.named_url).to.equal('/api/v2/credentials/key++Machine+ssh++Ours%5B%2B%5D%20%26%20theirs/');
    expect((await api.admin('GET', related.named_url)).body.id).to.equal(id);
    const { body } = await api.admin('GET', `/api/v2/credential_types/${type}/`);
    expect(body.related.named_url).to.equal('/api/v2/credential_types/Machine+ssh/');
    const formats = (await api.admin('GET', '/api/v2/settings/named-url/')).body.NAMED_URL_FORMATS;
    expect(formats.credentials).to.equal('<name>++<credential_type.name>+<credential_type.kind>++<organization.name>');
  });

  it('say nothing of a relation whose part is empty', async () => {
    const { id } = await credential('anywhere', { organization });
    for (const name of ['anywhere++Machine+ssh++', 'anywhere++++', 'anywhere', 'anywhere++Machine++ssh'])
      expect(await idAt(name), name).to.equal(id);
    for (const name of ['anywhere++Vault+vault++', 'nowhere++Machine+ssh++', '++Machine+ssh++', '++++'])
      expect(await idAt(name), name).to.equal(404);
  });

  it('lead to the one without a relation where there is one and its part is empty', async () => {
    await credential('twice', { organization });
    const alone = await credential('twice', { user: 1 });
    expect(alone.related.named_url).to.equal('/api/v2/credentials/twice++Machine+ssh++/');
    expect(await idAt('twice++Machine+ssh++')).to.equal(alone.id);
  });
});

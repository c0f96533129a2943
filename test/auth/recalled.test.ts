import { expect } from 'chai';
import { hashPassword } from '../../core/http/auth/password.ts';
import { type Api, basic, type Client, startApi } from '../support/api.ts';

/** Reading one record asks for it and for the caller in one statement: what changed about the caller must tell at once. */
describe('A caller known from a moment ago', () => {
  let api: Api;
  let ann: Client;
  const own = '/api/v2/organizations/1/';

  before(async () => {
    api = await startApi();
    await api.db('organizations').insert([{ name: 'Own' }, { name: 'Other' }]);
  });
  after(() => api.stop());

  beforeEach(async () => {
    await api.db('users').where({ username: 'ann' }).delete();
    await api.db('users').insert({ username: 'ann', password: await hashPassword('first'), is_superuser: true });
    ann = api.as(basic('ann', 'first'));
    for (let i = 0; i < 2; i++) expect((await ann('GET', own)).status).to.equal(200);
  });
  const change = (columns: object) => api.db('users').where({ username: 'ann' }).update(columns);

  it('is asked for along with the record', async () => {
    const sent: string[] = [];
    const note = ({ sql }: { sql: string }) => void sent.push(sql);
    api.db.on('query', note);
    await ann('GET', '/api/v2/instance_groups/1/');
    api.db.off('query', note);
    expect(sent.filter((sql) => sql.startsWith('select id, username'))).to.have.length(0);
  });

  it('is refused as soon as it is switched off', async () => {
    await change({ is_active: false });
    expect((await ann('GET', own)).status).to.equal(401);
  });

  it('is refused as soon as it has another password or name', async () => {
    await change({ password: await hashPassword('second') });
    expect((await ann('GET', own)).status).to.equal(401);
    expect((await api.as(basic('ann', 'second'))('GET', own)).status).to.equal(200);
    await change({ username: 'anna' });
    expect((await api.as(basic('ann', 'second'))('GET', own)).status).to.equal(401);
    await api.db('users').where({ username: 'anna' }).delete();
  });

  it('loses and gains rights at once', async () => {
    await change({ is_superuser: false });
    expect((await ann('GET', own)).status).to.equal(404);
    await change({ is_system_auditor: true });
    const { status, body } = await ann('GET', own);
    expect(status).to.equal(200);
    expect(body.summary_fields.user_capabilities).to.deep.equal({ edit: false, delete: false });
    await change({ is_superuser: true });
    expect((await ann('GET', own)).body.summary_fields.user_capabilities.edit).to.equal(true);
  });

  it('is gone as soon as it is deleted', async () => {
    await api.db('users').where({ username: 'ann' }).delete();
    expect((await ann('GET', own)).status).to.equal(401);
  });

  it('gets the same answers to what is not there, is no id or filters badly', async () => {
    expect((await ann('GET', '/api/v2/organizations/99999/')).status).to.equal(404);
    expect((await ann('GET', '/api/v2/organizations/Own/')).status).to.equal(200);
    expect((await ann('GET', `${own}?nosuch=1`)).status).to.equal(400);
    expect((await api.as(basic('ann', 'wrong'))('GET', own)).status).to.equal(401);
  });
});

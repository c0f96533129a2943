import { ApiError } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { hashPassword } from '../../core/accounts/password.ts';
import { type Api, basic, type Client, startApi } from '../support/api.ts';

/** A verified password is remembered for a minute, the user is not: what changed about the caller must tell at once. */
describe('A caller known from a moment ago', () => {
  let api: Api;
  let ann: Client;
  const own = '/api/v2/organizations/1/';

  before(async () => {
    const start = async () => {
      throw new ApiError(409, { detail: 'it would be launched' });
    };
    api = await startApi({}, { launch: { start } });
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

  const timesAsked = async (work: () => Promise<unknown>) => {
    const sent: string[] = [];
    const note = ({ sql }: { sql: string }) => void sent.push(sql);
    api.db.on('query', note);
    await work();
    api.db.off('query', note);
    return sent.filter((sql) => sql.startsWith('select id, username')).length;
  };

  it('is asked for once at each request', async () => {
    expect(await timesAsked(() => ann('GET', '/api/v2/instance_groups/1/'))).to.equal(1);
    expect(await timesAsked(() => ann('PATCH', own, {}))).to.equal(1);
  });

  it('launches as long as it is who it was', async () => {
    const row = { kind: 'job_template', name: 'Launched' };
    const [{ id }] = (await api.db('templates').insert(row).returning('id')) as [{ id: number }];
    const launch = () => ann('POST', `/api/v2/job_templates/${id}/launch/`, {});
    expect(await timesAsked(async () => expect((await launch()).status).to.equal(409))).to.equal(1);
    await change({ is_superuser: false });
    expect((await launch()).status).to.equal(404);
    await change({ is_system_auditor: true });
    expect((await launch()).status).to.equal(403);
    await change({ is_superuser: true, is_active: false });
    expect((await launch()).status).to.equal(401);
    await change({ is_active: true, password: await hashPassword('second') });
    expect((await launch()).status).to.equal(401);
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

import { expect } from 'chai';
import { createFixtures } from '../http/fixtures.ts';
import { type Api, startApi } from '../support/api.ts';

describe('what belongs to jobs and templates', () => {
  let api: Api;
  let ids: Record<string, number>;
  before(async () => {
    api = await startApi();
    const service = { services: { db: api.db }, post: (path: string, body: unknown) => api.admin('POST', path, body) };
    ({ ids } = await createFixtures(service as any));
  });
  after(() => api?.stop());
  const get = (path: string) => api.admin('GET', `/api/v2/${path}/`);

  it('shows what a schedule of the same launch would bring', async () => {
    const prompts = { extra_vars: '{"a": 1}', limit: 'web', credentials: [ids.credential], labels: [ids.label] };
    await api
      .db('runs')
      .where({ id: ids.job })
      .update({ prompts: JSON.stringify(prompts) });
    const { body } = await get(`jobs/${ids.job}/create_schedule`);
    expect(body.can_schedule).to.equal(true);
    expect(body.prompts).to.deep.include({ extra_vars: { a: 1 }, limit: 'web' });
    expect(body.prompts.credentials.map(({ id }: any) => id)).to.deep.equal([ids.credential]);
    expect(body.prompts.labels).to.deep.include({ count: 1 });
  });

  it('shows the passwords that a job has to be given when it is launched again', async () => {
    const type = await api.db('credential_types').where({ namespace: 'ssh' }).first('id');
    const inputs = { username: 'u', password: 'ASK', become_password: 'ASK' };
    const made = await api.admin('POST', '/api/v2/credentials/', {
      name: 'asks',
      organization: ids.organization,
      credential_type: type.id,
      inputs,
    });
    await api.db('run_credentials').insert({ run_id: ids.job, credential_id: made.body.id });
    expect((await get(`jobs/${ids.job}`)).body.passwords_needed_to_start).to.deep.equal([
      'ssh_password',
      'become_password',
    ]);
  });
});

import { expect } from 'chai';
import { type AccessStage, openAccessStage } from '../access/stage.ts';

describe('applications and tokens of an organization', () => {
  let stage: AccessStage;
  let application: any;
  let token: any;
  before(async () => {
    stage = await openAccessStage();
    const base = { name: 'ours', client_type: 'public', authorization_grant_type: 'password' };
    application = (await ask('orgAdmin', 'POST', `organizations/${stage.ids.organization}/applications/`, base)).body;
    token = (await ask('member', 'POST', 'tokens/', { application: application.id })).body;
    await ask('member', 'POST', 'tokens/', {});
  });
  after(() => stage?.stop());

  const ask = (name: string, method: string, path: string, body?: unknown) =>
    stage.as[name]!(method, `/api/v2/${path}`, body);

  it('are made, changed and deleted by its administrators only', async () => {
    const { id } = application;
    for (const [name, status] of [
      ['orgAdmin', 200],
      ['member', 403],
      ['otherAdmin', 404],
    ] as const)
      expect((await ask(name, 'PATCH', `applications/${id}/`, { description: name })).status, name).to.equal(status);
  });

  it('are moved by who administers both organizations', async () => {
    const { id } = application;
    const { ids, rows, users } = stage;
    const move = (name: string, organization: number) => ask(name, 'PATCH', `applications/${id}/`, { organization });
    expect((await move('orgAdmin', ids.elsewhere!)).status).to.be.oneOf([400, 403]);
    await stage.make.give('organization', rows.elsewhere, 'member_role', users.orgAdmin);
    expect((await move('orgAdmin', ids.elsewhere!)).status).to.equal(403);
    expect((await ask('superuser', 'GET', `applications/${id}/`)).body.organization).to.equal(ids.organization);
    await stage.make.give('organization', rows.elsewhere, 'admin_role', users.orgAdmin);
    expect((await move('orgAdmin', ids.elsewhere!)).status).to.equal(200);
    expect((await move('orgAdmin', ids.organization!)).status).to.equal(200);
  });

  it('show their tokens to administrators and auditors of the organization, personal ones to nobody', async () => {
    for (const [name, seen] of [
      ['superuser', true],
      ['auditor', true],
      ['orgAdmin', true],
      ['orgAuditor', true],
      ['member', true],
      ['orgExecute', false],
      ['otherAdmin', false],
    ] as const) {
      expect((await ask(name, 'GET', `tokens/${token.id}/`)).status, name).to.equal(seen ? 200 : 404);
      const shown = (await ask(name, 'GET', 'tokens/')).body.results;
      expect(shown.map(({ id }: any) => id).includes(token.id), name).to.equal(seen);
      for (const one of shown) expect(one.token).to.equal('************');
      if (['orgAdmin', 'orgAuditor'].includes(name))
        expect(
          shown.filter(({ application: of, user }: any) => of === null && user === stage.users.member.id),
        ).to.deep.equal([]);
    }
  });

  it('lose their tokens by hand of the administrator, not of the auditor', async () => {
    const change = (name: string) => ask(name, 'PATCH', `tokens/${token.id}/`, { description: name });
    expect((await change('orgAuditor')).status).to.equal(403);
    expect((await change('auditor')).status).to.equal(403);
    expect((await change('orgAdmin')).status).to.equal(200);
    expect((await ask('orgAuditor', 'DELETE', `tokens/${token.id}/`)).status).to.equal(403);
    expect((await ask('orgAdmin', 'DELETE', `tokens/${token.id}/`)).status).to.equal(204);
  });
});

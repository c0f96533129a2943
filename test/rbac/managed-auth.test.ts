import { expect } from 'chai';
import type { Answer } from '../support/api.ts';
import { type AccessStage, openAccessStage } from '../access/stage.ts';

describe('MANAGE_ORGANIZATION_AUTH', () => {
  let stage: AccessStage;
  before(async () => (stage = await openAccessStage()));
  after(() => stage?.stop());

  const ask = (name: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    stage.as[name]!(method, `/api/v2/${path}`, body);
  const manage = async (on: boolean) => {
    const { status } = await ask('superuser', 'PATCH', 'settings/system/', { MANAGE_ORGANIZATION_AUTH: on });
    expect(status).to.equal(200);
  };
  let made = 0;
  /** What an administrator of the organization does with people and teams: each request works while it is on. */
  const requests = (): [method: string, path: string, body?: object][] => {
    const { ids, users } = stage;
    const name = `person${++made}`;
    return [
      ['POST', `organizations/${ids.organization}/users/`, { username: name, password: 'long enough 1' }],
      ['POST', `organizations/${ids.organization}/users/`, { id: users.member.id, disassociate: true }],
      ['POST', `organizations/${ids.organization}/users/`, { id: users.member.id }],
      ['POST', `organizations/${ids.organization}/teams/`, { name }],
      ['POST', 'teams/', { name: `${name} too`, organization: ids.organization }],
      ['PATCH', `teams/${ids.team}/`, { description: name }],
      ['POST', `teams/${ids.team}/users/`, { id: users.member.id }],
      ['PATCH', `users/${users.member.id}/`, { last_name: name }],
    ];
  };

  it('lets administrators of an organization manage its people and teams while it is on', async () => {
    for (const [method, path, body] of requests()) {
      const { status, text } = await ask('orgAdmin', method, path, body);
      expect(status, `${method} ${path} ${text}`).to.be.within(200, 204);
    }
  });

  it('leaves that to superusers when it is off, and capabilities say so', async () => {
    await manage(false);
    try {
      for (const [method, path, body] of requests())
        expect((await ask('orgAdmin', method, path, body)).status, `${method} ${path}`).to.equal(403);
      for (const path of [`teams/${stage.ids.team}/`, `users/${stage.users.member.id}/`]) {
        const { user_capabilities: may } = (await ask('orgAdmin', 'GET', path)).body.summary_fields;
        expect(may).to.deep.equal({ edit: false, delete: false });
      }
      expect((await ask('orgAdmin', 'OPTIONS', 'teams/')).body.actions).to.not.have.property('POST');
      for (const [method, path, body] of requests()) {
        const { status, text } = await ask('superuser', method, path, body);
        expect(status, `${method} ${path} ${text}`).to.be.within(200, 204);
      }
    } finally {
      await manage(true);
    }
  });

  it('leaves other roles to administrators of the records, on or off', async () => {
    await manage(false);
    try {
      const { users, ids } = stage;
      const template = await ask('orgAdmin', 'GET', `job_templates/${ids.job_template}/`);
      const role = template.body.summary_fields.object_roles.read_role.id;
      expect((await ask('orgAdmin', 'POST', `roles/${role}/users/`, { id: users.member.id })).status).to.equal(204);
      const own = { first_name: 'Own' };
      expect((await ask('member', 'PATCH', `users/${users.member.id}/`, own)).status).to.equal(403);
    } finally {
      await manage(true);
    }
  });
});

import { expect } from 'chai';
import type { Knex } from 'knex';
import { openUrl } from '../../core/scm/url-secret.ts';
import type { KeyRing } from '../../core/secrets/key-ring.ts';
import { keysInUse, rotateKeys } from '../../core/secrets/rotate.ts';
import { startService, type TestService } from '../support/service.ts';

describe('the password in the URL of a project', () => {
  let service: TestService;
  let db: Knex;
  let keyRing: KeyRing;
  let id: number;
  const url = 'https://ann:s3cret%2Fword@git.example/x.git';
  const change = (to: string) => service.request('PATCH', `projects/${id}/`, { body: { scm_url: to } });
  const stored = async () => (await db('templates').where({ id }).first()).scm_url as string;

  before(async () => {
    // nothing is fetched here: updates stay pending
    service = await startService({ TAPLINE_ROLES: 'web' });
    ({ db, keyRing } = service.services);
    const [{ id: organization }] = (await service.get('organizations/')).body.results;
    const { status, body } = await service.post('projects/', {
      name: 'P',
      organization,
      scm_type: 'git',
      scm_url: url,
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body.scm_url).to.equal('https://ann:$encrypted$@git.example/x.git');
    id = body.id;
  });
  after(() => service?.stop());

  it('is stored encrypted, in the updates of the project too', async () => {
    expect(await stored()).to.match(/^https:\/\/ann:tap1:[\w:-]+@git\.example\/x\.git$/);
    expect(openUrl(keyRing, await stored())).to.equal(url);
    const updates = await db('runs').where({ template_id: id }).select('scm_url');
    for (const update of updates) expect(update.scm_url).to.equal(await stored());
  });

  it('is not changed by sending what is shown, or the same URL again', async () => {
    const before = await stored();
    for (const sent of ['https://ann:$encrypted$@git.example/x.git', url]) {
      const { status, body } = await change(sent);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(await stored()).to.equal(before);
    }
    await change('https://ann:other@git.example/x.git');
    expect(openUrl(keyRing, await stored())).to.equal('https://ann:other@git.example/x.git');
  });

  it('goes under the new key when the keys are rotated', async () => {
    const before = await stored();
    const { active } = await rotateKeys({ db: db, keyRing });
    expect(await stored()).not.to.equal(before);
    expect(openUrl(keyRing, await stored())).to.equal('https://ann:other@git.example/x.git');
    expect([...(await keysInUse(db))]).to.deep.equal([active]);
  });
});

import { expect } from 'chai';
import type { Knex } from 'knex';
import { openUrl } from '../../core/secrets/url-secret.ts';
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

  it('is of no use in another address', async () => {
    const moved = (await stored()).replace('git.example', 'evil.example');
    expect(() => openUrl(keyRing, moved)).to.throw(/belongs elsewhere/);
    // as text it is a password like any other
    await change(moved);
    expect(openUrl(keyRing, await stored())).to.equal(moved);
    await change('https://ann:other@git.example/x.git');
  });

  it('may look like an encrypted one, and be replaced where no key opens it', async () => {
    const made = 'https://ann:tap1:000000000000:nothing-that-any-key-could-ever-open-again@git.example/x.git';
    expect((await change(made)).status).to.equal(200);
    expect(openUrl(keyRing, await stored())).to.equal(made);
    await db('templates').where({ id }).update({ scm_url: made });
    expect((await change('https://ann:other@git.example/x.git')).status).to.equal(200);
    expect(openUrl(keyRing, await stored())).to.equal('https://ann:other@git.example/x.git');
  });

  it('is still read where it was stored before it was bound to its address, and bound when keys are rotated', async () => {
    const unbound = keyRing.encrypt('former', { table: 'templates', column: 'scm_url', id: 0 });
    await db('templates')
      .where({ id })
      .update({ scm_url: `https://ann:${unbound}@git.example/x.git` });
    expect(openUrl(keyRing, await stored())).to.equal('https://ann:former@git.example/x.git');
    await rotateKeys({ db, keyRing });
    expect(openUrl(keyRing, await stored())).to.equal('https://ann:former@git.example/x.git');
    const moved = (await stored()).replace('git.example', 'evil.example');
    expect(() => openUrl(keyRing, moved)).to.throw(/belongs elsewhere/);
    await change('https://ann:other@git.example/x.git');
  });

  it('goes under the new key when the keys are rotated', async () => {
    const before = await stored();
    const { active } = await rotateKeys({ db: db, keyRing });
    expect(await stored()).not.to.equal(before);
    expect(openUrl(keyRing, await stored())).to.equal('https://ann:other@git.example/x.git');
    expect([...(await keysInUse(db))]).to.deep.equal([active]);
  });
});

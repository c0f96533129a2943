import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { sourceOf } from '../../core/run-kinds/execution/project-source.ts';
import { describeWith } from '../support/needs.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { play, SourceRepository } from './repository.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** A key of its own, in a home of its own. */
class Key {
  readonly home = mkdtempSync(join(tmpdir(), 'tapline-gpg-'));
  readonly text: string;

  constructor() {
    chmodSync(this.home, 0o700);
    this.gpg('--passphrase', '', '--quick-gen-key', 'T <t@example.org>', 'ed25519', 'sign', '0');
    this.text = this.gpg('--armor', '--export');
  }

  gpg(...args: string[]): string {
    return execFileSync('gpg', ['--homedir', this.home, '--batch', '--quiet', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** As `ansible-sign project gpg-sign` leaves it, which asks for a terminal. */
  sign({ folder, git }: { folder: string; git: (...args: string[]) => string }): void {
    const files = git('ls-files')
      .split('\n')
      .filter((file) => !file.startsWith('.ansible-sign/'));
    const sums = files.map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    );
    const list = join(folder, '.ansible-sign/sha256sum.txt');
    mkdirSync(dirname(list), { recursive: true });
    writeFileSync(list, sums.join(''));
    this.gpg('--yes', '--armor', '--output', `${list}.sig`, '--detach-sign', list);
  }

  end(): void {
    execFileSync('gpgconf', ['--homedir', this.home, '--kill', 'all']);
    removeFolder(this.home);
  }
}

describeWith(['gpg', 'gpgconf'], 'projects that are signed', function () {
  let service: TestService;
  let source: SourceRepository;
  let key: Key;
  let other: Key;
  const types: Record<string, number> = {};

  before(async () => {
    [key, other] = [new Key(), new Key()];
    source = new SourceRepository();
    source.commit({ 'site.yml': play, 'MANIFEST.in': 'recursive-exclude .git *\nrecursive-include * *\n' });
    signed();
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    const { results } = (await service.get('credential_types/?page_size=200')).body;
    for (const { namespace, id } of results) types[namespace] = id;
  });
  after(async () => {
    await service?.stop();
    key?.end();
    other?.end();
  });

  const signed = (by = key) => {
    by.sign({ folder: source.folder, git: (...args) => source.git(...args) });
    return source.commit({});
  };
  const credential = async (type: string, inputs: object) => {
    const body = { name: `c${Math.random()}`, organization: 1, credential_type: types[type], inputs };
    return (await service.post('credentials/', body)).body.id as number;
  };
  const ended = (id: number) =>
    until(async () => {
      const { body } = await service.get(`project_updates/${id}/`);
      return body.finished ? body : undefined;
    }, 60_000);
  const create = async (signature_validation_credential: number | null, more: object = {}) =>
    service.post('projects/', {
      name: `p${Math.random()}`,
      organization: 1,
      scm_type: 'git',
      scm_url: source.url,
      signature_validation_credential,
      ...more,
    });
  const update = async (project: number) => ended((await service.post(`projects/${project}/update/`)).body.id);
  const because = 'The content of the project could not be verified: ';

  it('are taken over as long as signature and checksums fit, and not any more when they do not', async () => {
    const id = await credential('gpg_public_key', { gpg_public_key: key.text });
    const { body: project } = await create(id);
    expect(project.summary_fields.signature_validation_credential).to.include({ id, kind: 'gpg_public_key' });
    expect(project.related.signature_validation_credential).to.equal(`/api/v2/credentials/${id}/`);
    const first = await ended(project.summary_fields.current_update.id);
    expect(first.status, first.job_explanation).to.equal('successful');
    const good = first.scm_revision;

    source.commit({ 'site.yml': `${play}# changed\n` });
    const changed = await update(project.id);
    expect([changed.status, changed.job_explanation.startsWith(because)]).to.deep.equal(['failed', true]);
    source.commit({ 'site.yml': play, 'evil.yml': play, '.gitattributes': 'evil.yml export-ignore\n' });
    const added = await update(project.id);
    expect([added.status, added.job_explanation.startsWith(because)], added.job_explanation).to.deep.equal([
      'failed',
      true,
    ]);
    signed(other);
    expect((await update(project.id)).job_explanation).to.match(/^The content of the project could not be verified: ./);
    expect((await service.get(`projects/${project.id}/`)).body.scm_revision, 'what was verified stays').to.equal(good);
    signed();
    expect((await update(project.id)).status).to.equal('successful');
    expect((await service.request('DELETE', `credentials/${id}/`)).status, 'as long as it verifies').to.equal(409);
  });

  it('say what is missing: a signature, a key', async () => {
    const folder = join(dirname(source.folder), 'unsigned');
    mkdirSync(folder, { mode: 0o755 });
    const unsigned = new SourceRepository(folder);
    unsigned.commit({ 'site.yml': play });
    const right = await credential('gpg_public_key', { gpg_public_key: key.text });
    const { body } = await create(right, { scm_url: unsigned.url });
    expect((await ended(body.summary_fields.current_update.id)).job_explanation).to.equal(
      `${because}it is not signed: there is no .ansible-sign/sha256sum.txt.sig.`,
    );
    const id = await credential('gpg_public_key', { gpg_public_key: 'no key' });
    const failed = await ended((await create(id)).body.summary_fields.current_update.id);
    expect(failed.job_explanation).to.equal(`${because}the credential holds no public key that gpg can read.`);
  });

  it('run nothing that an earlier update let through, once a key is given', async () => {
    const { body: project } = await create(null);
    expect((await ended(project.summary_fields.current_update.id)).status).to.equal('successful');
    const id = await credential('gpg_public_key', { gpg_public_key: other.text });
    const patched = await service.request('PATCH', `projects/${project.id}/`, {
      body: { signature_validation_credential: id },
    });
    expect(patched.body.summary_fields.current_update.id).to.be.a('number');
    await ended(patched.body.summary_fields.current_update.id);
    expect((await service.get(`projects/${project.id}/`)).body).to.include({ scm_revision: '', status: 'failed' });
  });

  describe('take nothing over from an update under way', () => {
    /** Changes something while the last update of a project has begun and cannot end. */
    async function meanwhile(update: number, change: () => Promise<unknown>) {
      const { db } = service.services;
      await until(async () => (await db('runs').where({ id: update }).first('status')).status === 'running', 60_000);
      await db.transaction(async (trx) => {
        await trx('runs').where({ id: update }).forUpdate().first('id');
        await change();
      });
      return ended(update);
    }
    const because = /not verified by the key that the project has by now/;

    it('that began before there was a key', async () => {
      const id = await credential('gpg_public_key', { gpg_public_key: other.text });
      const { body: project } = await create(null);
      let verifying = 0;
      const first = await meanwhile(project.summary_fields.current_update.id, async () => {
        const body = { signature_validation_credential: id };
        const patched = await service.request('PATCH', `projects/${project.id}/`, { body });
        expect(patched.status, JSON.stringify(patched.body)).to.equal(200);
        verifying = (await service.get(`projects/${project.id}/project_updates/?order_by=-id`)).body.results[0].id;
      });
      expect([first.status, first.scm_revision]).to.deep.equal(['failed', '']);
      expect(first.job_explanation).to.match(because);
      expect((await ended(verifying)).status).to.equal('failed');
      expect((await service.get(`projects/${project.id}/`)).body).to.include({ scm_revision: '', status: 'failed' });
    });

    it('that began when the credential held another key', async () => {
      const id = await credential('gpg_public_key', { gpg_public_key: key.text });
      const { body: project } = await create(id);
      const first = await meanwhile(project.summary_fields.current_update.id, () =>
        service.request('PATCH', `credentials/${id}/`, { body: { inputs: { gpg_public_key: other.text } } }),
      );
      expect([first.status, first.scm_revision]).to.deep.equal(['failed', '']);
      expect(first.job_explanation).to.match(because);
      expect((await service.get(`projects/${project.id}/`)).body.scm_revision).to.equal('');
    });
  });

  it('run no other branch than the one that was verified', async () => {
    const project = { name: 'p', scm_type: 'git', scm_revision: 'a'.repeat(40), signature_validation_credential_id: 1 };
    const failed = await sourceOf('/nowhere', { project, scm_branch: 'other' } as never).catch(String);
    expect(failed).to.include('only what its last update verified can be run');
    expect(await sourceOf('/nowhere', { project } as never)).to.include({ revision: 'a'.repeat(40) });
  });

  it('refuse keys that are none, and keys for what is not fetched', async () => {
    const scm = await credential('scm', {});
    expect((await create(scm)).body).to.have.all.keys('signature_validation_credential');
    const id = await credential('gpg_public_key', { gpg_public_key: key.text });
    const manual = await create(id, { scm_type: '', scm_url: '' });
    expect(manual.body).to.have.all.keys('signature_validation_credential');
    expect((await create(999_999)).body).to.have.all.keys('signature_validation_credential');
  });
});

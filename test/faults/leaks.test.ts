import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { limitProblem } from '../../core/inventory/limit.ts';
import { askpass } from '../../core/run-kinds/project-update/askpass.ts';
import { startService, type TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('the password of a source', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-askpass-'));
    execFileSync('mkdir', [join(folder, 'env')]);
    writeFileSync(join(folder, 'env/scm_username'), 'me');
    writeFileSync(join(folder, 'env/scm_password'), 'secret');
  });
  after(() => removeFolder(folder));

  const answer = (url: string, prompt: string): string | null => {
    const path = join(folder, 'askpass');
    writeFileSync(path, askpass(url).replaceAll('{workspace}', folder), { mode: 0o700 });
    try {
      return execFileSync('/bin/sh', [path, prompt], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return null;
    }
  };

  it('is given to its own host', () => {
    expect(answer('https://git.example.com/a.git', "Username for 'https://git.example.com': ")).to.equal('me');
    expect(answer('https://git.example.com/a.git', "Password for 'https://me@git.example.com': ")).to.equal('secret');
    expect(answer('http://git.example.com:8080/a', "Password for 'http://me@git.example.com:8080': ")).to.equal(
      'secret',
    );
    // git repeats the address as it was written
    expect(answer('https://Git.Example.com/a.git', "Username for 'https://Git.Example.com': ")).to.equal('me');
    expect(answer('https://me@git.example.com:443/a', "Password for 'https://me@git.example.com:443': ")).to.equal(
      'secret',
    );
    expect(answer('git@git.example.com:a.git', "git@git.example.com's password: ")).to.equal('secret');
    expect(answer('ssh://git@git.example.com:22/a', '(git@git.example.com) Password: ')).to.equal('secret');
  });

  it('is given to no other, whatever that asks', () => {
    for (const prompt of [
      "Username for 'https://evil.example.com': ",
      "Password for 'https://me@evil.example.com': ",
      "Password for 'https://x@git.example.com': '@evil.example.com': ",
      "Password for 'https://git.example.com@evil.example.com': ",
      "Password for 'https://me@git.example.com:8443': ",
      "Password for 'https://me@git.example.com.evil.org': ",
      // nor in the open
      "Username for 'http://git.example.com': ",
      "Password for 'http://me@git.example.com': ",
      "Password for 'ftp://me@git.example.com': ",
      "me@evil.example.com's password: ",
      '(me@evil.example.com) (me@git.example.com) Password: ',
      "(me@evil.example.com) me@git.example.com's password: ",
      'Password: ',
      '',
    ])
      expect(answer('https://git.example.com/a.git', prompt), prompt).to.equal(null);
    expect(answer('file:///srv/a.git', "Password for 'https://me@git.example.com': ")).to.equal(null);
  });
});

describe('rights that would open more', function () {
  let service: TestService;
  let organization: number;
  const ann = { auth: 'ann:ann-password-1' };
  const patch = (path: string, body: object, options: object = {}) =>
    service.request('PATCH', `/api/v2/${path}`, { body, ...options });
  before(async () => {
    service = await startService();
    organization = (await service.post('organizations/', { name: 'own' })).body.id;
    const { id } = (await service.post('users/', { username: 'ann', password: 'ann-password-1' })).body;
    await service.post(`organizations/${organization}/admins/`, { id });
  });
  after(() => service.stop());

  it('let only superusers spare users the question whether an application may act for them', async () => {
    const body = {
      name: 'app',
      organization,
      client_type: 'public',
      authorization_grant_type: 'authorization-code',
      redirect_uris: 'https://app.example.com/cb',
    };
    const refused = await service.post('applications/', { ...body, skip_authorization: true }, ann);
    expect(refused.status).to.equal(403);
    const made = await service.post('applications/', { ...body, skip_authorization: false }, ann);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    const path = `applications/${made.body.id}/`;
    expect((await patch(path, { skip_authorization: true }, ann)).status).to.equal(403);
    expect((await patch(path, { skip_authorization: false, description: 'x' }, ann)).status).to.equal(200);
    expect((await patch(path, { skip_authorization: true })).body.skip_authorization).to.equal(true);
    // the same again is no change
    expect((await patch(path, { skip_authorization: true, description: 'y' }, ann)).status).to.equal(200);
  });

  it('let only superusers widen the scope of a token', async () => {
    const made = await service.post('tokens/', { scope: 'read' }, ann);
    const path = `tokens/${made.body.id}/`;
    for (const scope of ['write', 'read write'])
      expect((await patch(path, { scope }, ann)).status, scope).to.equal(403);
    expect((await patch(path, { scope: 'read', description: 'mine' }, ann)).status).to.equal(200);
    expect((await patch(path, { scope: 'read write' })).status).to.equal(200);
    expect((await patch(path, { scope: 'read' }, ann)).body.scope).to.equal('read');
  });

  it('attach a Galaxy credential only for who may use it', async () => {
    const [type] = (await service.get('credential_types/?kind=galaxy')).body.results;
    const other = (await service.post('organizations/', { name: 'other' })).body.id;
    const inputs = { url: 'https://galaxy.example.com/', token: 'secret' };
    const credential = await service.post('credentials/', {
      name: 'galaxy',
      organization: other,
      credential_type: type.id,
      inputs,
    });
    const { object_roles } = (await service.get(`organizations/${other}/`)).body.summary_fields;
    const { id } = (await service.get('me/', ann)).body.results[0];
    await service.post(`users/${id}/roles/`, { id: object_roles.auditor_role.id });
    const attach = () =>
      service.post(`organizations/${organization}/galaxy_credentials/`, { id: credential.body.id }, ann);
    const refused = await attach();
    expect(refused.status, JSON.stringify(refused.body)).to.equal(403);
    await service.post(`users/${id}/roles/`, { id: object_roles.credential_admin_role.id });
    expect((await attach()).status).to.equal(204);
  });

  it('name no files in limits', async () => {
    for (const limit of ['@hosts', 'web,@../inventory.json', 'web:@x', 'web, @x', '; @x'])
      expect(limitProblem(limit), limit).not.to.equal(undefined);
    for (const limit of ['', 'web:db', 'me@host', '!web:&db', '~(a|b)@c', '*'])
      expect(limitProblem(limit), limit).to.equal(undefined);
    const answer = await service.post('job_templates/', { name: 't', limit: '@hosts' });
    expect(answer.status).to.equal(400);
    expect(answer.body.limit).to.deep.equal(['A limit cannot name a file (@).']);
  });
});

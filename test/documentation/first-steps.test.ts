import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { describeWith } from '../support/needs.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

/** As they stand, but for the address of the service and the folder of their files. */
const steps = /## First steps[^]*?```bash\n([^]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';

describeWith(['curl', 'jq', 'git', 'ssh-keygen'], 'the first steps of the README', function () {
  let folder: string;
  let service: TestService;

  const run = (text: string, password: string): Promise<string> =>
    new Promise((resolve) => {
      const script = text.replaceAll('/tmp/', `${folder}/`).replaceAll('http://127.0.0.1:8052', service.url);
      const env = { PATH: process.env['PATH'], HOME: folder, ADMIN_PASSWORD: password };
      const options = { cwd: folder, timeout: 300_000, env: env as NodeJS.ProcessEnv };
      execFile('bash', ['-c', script], options, (_, out, err) => resolve(out + err));
    });

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-steps-'));
    chmodSync(folder, 0o755);
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: folder });
  });
  after(async () => {
    await service.stop();
    removeFolder(folder);
  });

  it('lead to a job of one’s own', async () => {
    const said = await run(steps, adminPassword);
    expect(said).to.contain('"msg": "web1 gets release 1.4"');
    expect(said).to.contain('{"status":"successful"').and.to.contain('"host_status_counts":{"ok":1}}');
  });

  it('tell of a password that is missing or wrong, and wait for nothing without end', async () => {
    const upToToken = steps.slice(0, steps.indexOf('tapline() {'));
    for (const password of ['', 'wrong-password'])
      expect(await run(upToToken, password)).to.contain('No token: is the service at');
    const failing = await run(
      `seq() { echo 1; }; tapline() { echo '{"status": "failed"}'; }; ${/^reaches\(\).*$/m.exec(steps)?.[0]}\nreaches x .status successful`,
      adminPassword,
    );
    expect(failing).to.equal('.status of x is not successful:\n{"status": "failed"}\n');
  });
});

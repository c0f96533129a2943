import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { injectCredentials } from '../../core/credentials/injection/inject.ts';
import { createSandbox } from '../../core/sandbox/sandbox.ts';
import { silentLog } from '../support/log.ts';
import { makeStage, type Stage } from './stage.ts';

describe('runner: what credential types give', function () {
  const sandbox = createSandbox({ log: silentLog as never });
  let stage: Stage;
  // the engine itself makes its folders by a shell that quotes nothing
  before(() => void (stage = makeStage(mkdtempSync(join(tmpdir(), 'tapline-given-')))));
  after(async () => {
    await stage?.end();
    await sandbox.stop();
  });

  it('reaches the playbook: environment, files that only it may read, variables that hold no expressions', async () => {
    const injection = await injectCredentials({ sandbox }, [
      {
        id: 4,
        name: 'Mine',
        links: [],
        missing: [],
        inputs: { token: 'canary-token', cert: 'a certificate' },
        type: {
          id: 1,
          name: 'Own',
          kind: 'cloud',
          namespace: null,
          inputs: {
            fields: [
              { id: 'token', label: 'T', secret: true },
              { id: 'cert', label: 'C' },
            ],
          },
          injectors: {
            file: { 'template.cert': '{{ cert }}' },
            env: { TOKEN: '{{ token }}', PLAIN: '{workspace}', CERT_FILE: '{{ tower.filename.cert }}' },
            extra_vars: { from_type: { path: '{{ tower.filename.cert }}', inert: "{{ '{{ 7 * 7 }}' }}" } },
          },
        },
      },
    ]);
    const spec = await stage.spec('injected.yml', { injection });
    expect(spec.shown.job_env).to.include({ TOKEN: '**********', PLAIN: '{{}workspace}' });
    const done = await stage.run(spec);
    expect(done.status, done.stdout).to.have.nested.property('exit.rc', 0);
    const messages = done.events
      .filter(({ event }) => event === 'runner_on_ok')
      .map(({ event_data: data }) => (data['res'] as { msg?: string }).msg);
    expect(messages).to.include('env={workspace} file=a certificate mode=600 same=True inert={{ 7 * 7 }}');
    expect(messages).to.include('secret is canary-token');
    expect(spec.secrets).to.include('canary-token');
  });
});

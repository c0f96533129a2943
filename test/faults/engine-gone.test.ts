import { chmodSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../core/config/config.ts';
import { findEngine } from '../../core/runner/engine-tool.ts';
import { until } from '../support/until.ts';
import { type OutageService, startOutageService } from './outage-service.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const hello = `- hosts: all
  gather_facts: false
  tasks:
    - debug:
        msg: hello
`;

describe('an engine that breaks while the service runs', function () {
  let service: OutageService;
  let folder: string;
  let command: string;
  let template: number;
  let engine: string;
  const works = () => `#!/bin/sh\nexec ${engine} "$@"\n`;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-engine-'));
    chmodSync(folder, 0o755);
    command = join(folder, 'ansible-playbook');
    engine = realpathSync(findEngine(loadConfig()));
    writeFileSync(command, works(), { mode: 0o755 });
    const shown = dirname(dirname(engine));
    service = await startOutageService({
      ENGINE_COMMAND: command,
      TAPLINE_AWX_ISOLATION_SHOW_PATHS: JSON.stringify(shown === '/usr' ? [] : [`${shown}:${shown}:ro`]),
    });
    template = await service.template(hello);
  });
  after(async () => {
    await service?.close();
    removeFolder(folder);
  });

  const run = async () => {
    const { body } = await service.post(`job_templates/${template}/launch/`);
    await until(async () => (await service.get(`jobs/${body.job}/`)).body.event_processing_finished, 60_000);
    return (await service.get(`jobs/${body.job}/`)).body;
  };

  it('ends its jobs with a reason, and the next one runs once it is mended', async () => {
    expect(await run()).to.include({ job_explanation: '', status: 'successful' });
    chmodSync(command, 0o644);
    const forbidden = await run();
    expect(forbidden.status).to.equal('error');
    expect(forbidden.job_explanation).to.match(/ENGINE_COMMAND|could not be started/);
    // seen, but what stands in its first line is gone: the kernel refuses it inside the sandbox only
    writeFileSync(command, '#!/nowhere/sh\n');
    chmodSync(command, 0o755);
    const broken = await run();
    expect(broken.status, broken.job_explanation).to.equal('error');
    expect(broken.job_explanation).to.match(/engine/i);
    writeFileSync(command, '#!/bin/sh\nexit 127\n');
    const missing = await run();
    expect(missing.status, missing.job_explanation).to.equal('error');
    expect(missing.job_explanation).to.match(/engine/i);
    writeFileSync(command, works());
    expect((await run()).status).to.equal('successful');
  });
});

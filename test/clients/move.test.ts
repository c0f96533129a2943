import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { play, SourceRepository } from '../scm/repository.ts';
import { describeWith } from '../support/needs.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { fill } from './harbour.ts';

/** What exports hold no more of than that it is there, the import takes from whoever moves it. */
function provideSecrets(assets: any): void {
  for (const user of assets.users) if (user.username !== 'admin') user.password = 'first one 1';
  for (const { related } of [...assets.job_templates, ...assets.workflow_job_templates])
    for (const question of related.survey_spec?.spec ?? [])
      if (question.type === 'password') question.default = 'hidden';
}

/**
 * The client sends other secrets as empty texts, and the folders of projects are the service's own. It makes records in
 * the order of what they need, so lists come in another one; texts are trimmed when a client sends them.
 */
const comparable = (text: string) =>
  JSON.parse(text, (key, value) => {
    if (key === 'local_path') return undefined;
    if (Array.isArray(value)) return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    return typeof value === 'string' ? value.replace('$encrypted$', '').trim() : value;
  });

describeWith(['awx', 'git'], 'What the awx command exports', function () {
  this.timeout(600_000);
  const services: TestService[] = [];
  const home = temporaryFolder('awx');
  let source: SourceRepository;

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': play, 'ships.yml': 'all: {hosts: {bark: {}}}\n' });
    const env = { TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) };
    services.push(await startService(env), await startService(env));
  });
  after(() => Promise.all(services.map((service) => service.stop())));

  const awx = (service: TestService, args: string[], stdin = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = {
        PATH: process.env.PATH,
        HOME: home,
        PYTHONWARNINGS: 'ignore',
        CONTROLLER_HOST: service.url,
        CONTROLLER_USERNAME: 'admin',
        CONTROLLER_PASSWORD: adminPassword,
        CONTROLLER_COLOR: 'f',
      };
      const options = { env, maxBuffer: 100_000_000 };
      const child = execFile(join(root, '.tools', 'awx', 'bin', 'awx'), args, options, (error, stdout, stderr) =>
        error || stderr ? reject(new Error(`awx ${args.join(' ')}: ${stdout}${stderr}`)) : resolve(stdout),
      );
      child.stdin?.end(stdin);
    });

  it('goes into an empty service, which exports the same again', async () => {
    const [from, to] = services as [TestService, TestService];
    await fill(from, source.url);
    const exported = await awx(from, ['export']);
    const assets = JSON.parse(exported);
    provideSecrets(assets);
    await awx(to, ['import'], JSON.stringify(assets));
    expect(comparable(await awx(to, ['export']))).to.deep.equal(comparable(exported));
    // the client does not find applications again
    await awx(to, ['import'], JSON.stringify({ ...assets, applications: [] }));
    expect(comparable(await awx(to, ['export'])), 'imported once more').to.deep.equal(comparable(exported));
  });
});

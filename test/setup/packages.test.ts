import { chmodSync } from 'node:fs';
import { expect } from 'chai';
import { describeWith, isRoot } from '../support/needs.ts';
import { Checkout } from './stage.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const nobody = 65534;

describe('set-up of the packages', function () {
  let checkout: Checkout;
  beforeEach(() => void (checkout = new Checkout()));
  afterEach(() => checkout.remove());

  it('leaves a production install alone, and does not ask the registry for it', async () => {
    checkout.installed('node_modules/served');
    const { code, said } = await checkout.setUp();
    expect({ code, said }).to.deep.equal({ code: 0, said: 'setup: packages and engine are in place\n' });
    expect(checkout.calls()).to.deep.equal([]);
  });

  it('brings what checks and tests need where they are asked for, without scripts of packages', async () => {
    checkout.installed('node_modules/served');
    const { code, said } = await checkout.setUp(['--check']);
    expect(code).to.equal(1);
    expect(said).to.contain('no registry here');
    expect(checkout.calls()).to.deep.equal([
      'ci --ignore-scripts --include=dev --include=optional --no-audit --no-fund',
    ]);
  });

  it('sees what a workspace lacks, though node_modules was copied with its stamp', async () => {
    const own = 'plugins/x/node_modules/served';
    checkout.installed('node_modules/served', own);
    checkout.lock(own);
    expect((await checkout.setUp()).code).to.equal(0);
    expect(await checkout.setUp()).to.include({ code: 0 });
    removeFolder(`${checkout.root}/plugins`);
    expect((await checkout.setUp()).said).to.contain('no registry here');
    expect(checkout.calls()).to.have.length(1);
  });

  it('keeps left out what a production install left out, when a package is missing', async () => {
    checkout.installed();
    await checkout.setUp();
    await checkout.setUp([], { env: { npm_config_omit: 'dev' } });
    checkout.installed('node_modules/served', 'node_modules/checked');
    checkout.write('node_modules/.package-lock.json', { packages: { 'node_modules/checked': { version: '2.0.0' } } });
    await checkout.setUp();
    expect(checkout.calls().map((call) => /--(\w+=dev)/.exec(call)?.[0])).to.deep.equal([
      '--omit=dev',
      '--omit=dev',
      '--include=dev',
    ]);
  });

  it('refuses a lock file that does not fit package.json, and names the file', async () => {
    checkout.installed('node_modules/served', 'node_modules/checked');
    await checkout.setUp();
    checkout.write('package.json', { name: 'x', dependencies: { served: '1.0.1' } });
    const { code, said } = await checkout.setUp();
    expect(code).to.equal(1);
    expect(said).to.match(/package-lock.json does not fit package.json: .*npm install/);
    expect(checkout.calls(), 'it is not rewritten').to.deep.equal([]);
  });

  // root may write everywhere, and becomes somebody else, who has to reach our Node
  describeWith(['a checkout open to all'], 'in a checkout that it may not write', () => {
    const reader = () => (isRoot ? { uid: nobody } : {});

    it('does what is to be done there: nothing', async () => {
      checkout.installed('node_modules/served');
      for (const folder of ['', 'node_modules']) chmodSync(`${checkout.root}/${folder}`, 0o555);
      const { code, said } = await checkout.setUp([], reader());
      for (const folder of ['', 'node_modules']) chmodSync(`${checkout.root}/${folder}`, 0o755);
      expect({ code, said }).to.deep.equal({ code: 0, said: 'setup: packages and engine are in place\n' });
    });

    it('says what is missing and who may bring it', async () => {
      checkout.installed();
      chmodSync(checkout.root, 0o555);
      const { code, said } = await checkout.setUp([], reader());
      chmodSync(checkout.root, 0o755);
      expect(code).to.equal(1);
      expect(said).to.match(
        /^setup: Something is missing \(node_modules\/served 1.0.0\), and user \d+ may not write \S+: run "npm run setup" as/,
      );
    });
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApiError, field, z } from '@tapline/plugin-sdk';
import { type Core, startCore, until } from '@tapline/plugin-sdk/testing';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { findHome } from '../../plugin-sdk/testing/find-home.ts';
import { testPlugin } from '../support/plugins.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('startCore, as authors of plugins test with it', function () {
  const swept: number[] = [];
  const plugin = testPlugin('guest', (api) => {
    const sweep = api.task('sweep', { schema: z.object({ host: z.int() }) }, async ({ host }) => void swept.push(host));
    api.extend('host', { fields: { guest: field.computed({ compute: () => 'yes' }) } });
    api.hooks.beforeStart({ name: 'not-held', failMode: 'deny' }, ({ template }) => {
      if (template?.name === 'held') throw new ApiError(409, 'It is held.');
    });
    api.route({
      path: '/api/v2/guest/:host/',
      access: { POST: { name: 'all', row: async () => true, query: () => undefined } },
      handler: async ({ params }) => {
        await sweep.enqueue(api.db, { host: Number(params['host']) });
        return { status: 202 };
      },
    });
  });

  describe('without an engine', () => {
    let core: Core;
    before(async () => {
      core = await startCore({ plugins: [plugin], env: { TAPLINE_MAX_FORKS: '7' } });
    });
    after(() => core.stop());

    it('runs the plugin on a database of its own, set as an operator would', async () => {
      expect((await core.admin.get('plugins/guest/')).body.state).to.equal('on');
      expect((await core.admin.get('settings/jobs/')).body.MAX_FORKS).to.equal(7);
      const { id } = await core.makeInventory({ name: 'rack', hosts: ['a', 'b'] });
      const { body } = await core.admin.get(`inventories/${id}/hosts/?order_by=name`);
      expect(body.results.map(({ name, guest }: any) => [name, guest])).to.deep.equal([
        ['a', 'yes'],
        ['b', 'yes'],
      ]);
      expect(await core.db('core_hosts').where({ inventory_id: id }).pluck('name')).to.have.members(['a', 'b']);
    });

    it('asks in the name of whom the test says', async () => {
      const template = await core.makeTemplate();
      await core.makeUser('ann');
      expect((await core.as('ann').get(template.url)).status).to.equal(404);
      expect((await core.as(null).get(template.url)).status).to.equal(401);
      await core.grant('ann', template.url, 'read_role');
      expect((await core.as('ann').get(template.url)).status).to.equal(200);
      expect((await core.as('ann').post(`${template.url}launch/`)).status).to.equal(403);
      expect(() => core.as('bob')).to.throw("makeUser('bob')");
      const wrong = await core.grant('ann', template.url, 'no_role').then(String, String);
      expect(wrong).to.match(/has no no_role: it has admin_role/);
    });

    it('asks taps about launches, keeps jobs pending, and runs tasks', async () => {
      const held = await core.makeTemplate({ name: 'held' });
      const refused = await core.admin.post(`${held.url}launch/`);
      expect([refused.status, refused.body]).to.deep.equal([409, { detail: 'It is held.' }]);
      const free = await core.makeTemplate();
      const { body } = await core.admin.post(`${free.url}launch/`);
      expect(body.status).to.equal('pending');
      expect(await core.ended(body.id).then(String, String)).to.match(/startCore\(\{ engine: true \}\)/);
      await core.admin.post('/api/v2/guest/5/');
      await until(() => swept.includes(5));
      expect((await core.admin.get(`jobs/${body.id}/`)).body.status).to.equal('pending');
    });

    it('says what went wrong where something cannot be made', async () => {
      const twice = () => core.makeUser('ann');
      expect(await twice().then(String, String)).to.match(/users\/ answered 400 instead of 201: .*username/);
      const outside = core.makeProject({ '../x': '' }).then(String, String);
      expect(await outside).to.match(/lies outside/);
    });
  });

  it('runs jobs by the real engine where the test wants it', async () => {
    const core = await startCore({ plugins: [plugin], engine: true });
    try {
      const template = await core.makeTemplate();
      const { body } = await core.admin.post(`${template.url}launch/`);
      const job = await core.ended(body.id);
      expect(job.status).to.equal('successful');
      expect((await core.admin.get(`jobs/${job.id}/stdout/?format=txt`)).text).to.contain('hello');
    } finally {
      await core.stop();
    }
  });

  /** A process that starts one with a Postgres of its own; what it ends with, and what it leaves in its temporary folder. */
  async function leftBy(ending: string): Promise<{ said: string; left: string[] }> {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-left-'));
    chmodSync(folder, 0o777);
    const script = join(folder, 'script.mjs');
    const sdk = pathToFileURL(join(root, 'plugin-sdk', 'testing.ts')).href;
    writeFileSync(script, `import { startCore } from '${sdk}';\nconst core = await startCore();\n${ending}\n`);
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder };
    const child = spawn(process.execPath, [script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (part) => (said += part));
    await once(child, 'close');
    rmSync(script);
    const left = readdirSync(folder);
    removeFolder(folder);
    return { said, left };
  }

  for (const [what, ending] of [
    ['ends by itself, once all are stopped', 'await core.stop(); console.log("stopped");'],
    [
      'is ended in the middle',
      'console.log("stopped"); process.kill(process.pid, "SIGTERM"); await new Promise(() => undefined);',
    ],
    ['exits without a stop', 'console.log("stopped"); process.exit();'],
  ])
    it(`leaves nothing of its own Postgres where the process ${what}`, async () => {
      expect(await leftBy(ending!)).to.deep.equal({ said: 'stopped\n', left: [] });
    });

  it('finds the checkout by the environment, by a file above, or as where the SDK lies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapline-home-'));
    try {
      const entry = ['core', 'main.js'];
      expect(findHome(entry, folder, {})).to.equal(root);
      mkdirSync(join(folder, 'elsewhere', 'core'), { recursive: true });
      writeFileSync(join(folder, 'elsewhere', 'core', 'main.js'), '');
      writeFileSync(join(folder, '.tapline-home'), 'elsewhere\n');
      const inside = join(folder, 'package', 'dist');
      expect(findHome(entry, inside, {})).to.equal(join(folder, 'elsewhere'));
      expect(findHome(entry, inside, { TAPLINE_HOME: root })).to.equal(root);
      expect(() => findHome(entry, inside, { TAPLINE_HOME: folder })).to.throw(
        /^TAPLINE_HOME is .* set TAPLINE_HOME to one/,
      );
      writeFileSync(join(folder, '.tapline-home'), 'gone');
      expect(() => findHome(entry, inside, {})).to.throw(/\.tapline-home says .*gone, where there is no Tapline/);
    } finally {
      removeFolder(folder);
    }
  });

  it('tells what the plugin does wrong at the start, and leaves nothing behind', async () => {
    const late = testPlugin('late', (api) => api.onStart(() => api.nav({ path: '/x', label: 'x' })));
    expect(await startCore({ plugins: [late] }).then(String, String)).to.match(/api\.nav.*too late/s);
  });
});

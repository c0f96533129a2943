import { expect } from 'chai';
import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { cachePath } from '../../core/scm/cache.ts';
import { requirementsPath } from '../../core/scm/requirements.ts';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';
import { SourceRepository } from './repository.ts';

/** For 127.0.0.1 until 2126; a key and a certificate that are used for nothing else. */
const selfSigned = readFileSync(join(import.meta.dirname, '../fixtures/self-signed.pem'));

const galaxy = (name: string) =>
  `namespace: example\nname: ${name}\nversion: 1.0.0\nreadme: README.md\nauthors: [T]\ndescription: D\nlicense: [MIT]\nrepository: https://example.org/r\n`;
const playbook = `- hosts: good
  gather_facts: false
  tasks:
    - debug: {msg: "{{ 'text' | example.tools.shout }}"}
    - include_role: {name: greeter}
`;
const filter = `class FilterModule:
    def filters(self):
        return {'shout': lambda text: text.upper() + '!'}
`;

describe('the requirements of a project', function () {
  let stage: Stage;
  let source: SourceRepository;
  let organization: number;
  let project: number;

  before(async () => {
    source = new SourceRepository();
    source.commit({
      'site.yml': playbook,
      'vendor/tools/galaxy.yml': galaxy('tools'),
      'vendor/tools/README.md': 'tools\n',
      'vendor/tools/plugins/filter/shout.py': filter,
      'collections/requirements.yml': 'collections:\n  - source: vendor/tools\n    type: dir\n',
      // the repository is a role itself
      'meta/main.yml': 'galaxy_info: {author: T, description: D, license: MIT, min_ansible_version: "2.15"}\n',
      'tasks/main.yml': '- debug: {msg: "greetings from a role"}\n',
      'roles/requirements.yml': `- src: git+${source.url}\n  name: greeter\n`,
    });
    stage = await startStage({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    organization = (await stage.get('organizations/')).body.results[0].id;
    const { body } = await stage.post('projects/', { name: 'git', organization, scm_type: 'git', scm_url: source.url });
    project = body.id;
    await updated();
  });
  after(() => stage.stop());

  const updated = () =>
    until(async () => {
      const { body } = await stage.get(`projects/${project}/`);
      return ['successful', 'failed'].includes(body.status) && body.summary_fields.last_update.id;
    });
  const update = async () => {
    const { body } = await stage.post(`projects/${project}/update/`);
    return until(async () => {
      const answer = await stage.get(`project_updates/${body.project_update}/`);
      return answer.body.finished && answer.body;
    });
  };
  const said = async (path: string) => (await stage.get(`${path}/stdout/?format=txt`)).body as string;

  it('are installed with its update, and found by its jobs', async () => {
    const id = await updated();
    expect(await said(`project_updates/${id}`)).to.contain('Installing what roles/requirements.yml asks for');
    const job = await stage.launch(await stage.template({ project, playbook: 'site.yml' }));
    const ended = await stage.ended(job.id);
    expect(ended.status, `${ended.job_explanation}\n${await said(`jobs/${job.id}`)}`).to.equal('successful');
    expect(await said(`jobs/${job.id}`))
      .to.contain('TEXT!')
      .and.contain('greetings from a role');
  });

  it('are found by jobs where a version installed them that ran everything as one user', async () => {
    const { scm_revision: revision } = (await stage.get(`projects/${project}/`)).body;
    chmodSync(requirementsPath(cachePath(stage.dataDir, project), revision), 0o700);
    const job = await stage.launch(await stage.template({ project, playbook: 'site.yml' }));
    expect((await stage.ended(job.id)).status).to.equal('successful');
  });

  it('are left alone where the settings say so', async () => {
    const settings = { AWX_ROLES_ENABLED: false, AWX_COLLECTIONS_ENABLED: false };
    await stage.request('PATCH', 'settings/jobs/', { body: settings });
    const { id, status } = await update();
    expect(status).to.equal('successful');
    expect(await said(`project_updates/${id}`)).not.to.contain('Installing');
    await stage.request('PATCH', 'settings/jobs/', {
      body: { AWX_ROLES_ENABLED: true, AWX_COLLECTIONS_ENABLED: true },
    });
  });

  it('end the update as failed, with the reason, when they cannot be installed', async () => {
    source.commit({ 'collections/requirements.yml': 'collections:\n  - source: vendor/absent\n    type: dir\n' });
    const { status, job_explanation: explanation } = await update();
    expect(status).to.equal('failed');
    expect(explanation).to.match(/^The requirements of the project could not be installed: .*absent/);
  });

  it("are asked for at the organization's servers, with the token that nobody gets to see", async () => {
    const token = 'canary-galaxy-token';
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(404).end('{}');
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { id: type } = await stage.services.db('credential_types').where({ kind: 'galaxy' }).first('id');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const credential = await stage.credential({ credential_type: type, inputs: { url, token } });
      const attached = await stage.post(`organizations/${organization}/galaxy_credentials/`, { id: credential });
      expect(attached.status, JSON.stringify(attached.body)).to.equal(204);
      // what the repository says of the servers counts for nothing
      source.commit({
        'collections/requirements.yml': 'collections:\n  - example.remote\n',
        'ansible.cfg': `[galaxy_server.server0]\nauth_url=${url}elsewhere\n`,
      });
      const { id, status } = await update();
      expect(status).to.equal('failed');
      expect(asked[0]).to.equal(`Token ${token}`);
      expect(await said(`project_updates/${id}`)).not.to.contain(token);
    } finally {
      server.close();
    }
  });

  describe('follow the settings', () => {
    const needed = { 'collections/requirements.yml': 'collections:\n  - example.settings\n' };
    const set = (body: object) => stage.request('PATCH', 'settings/jobs/', { body });
    afterEach(() => stage.request('DELETE', 'settings/jobs/'));

    /** The update's server: whatever comes is told, and answered by `answer`. */
    async function from(url: string): Promise<void> {
      const { id: type } = await stage.services.db('credential_types').where({ kind: 'galaxy' }).first('id');
      const list = `organizations/${organization}/galaxy_credentials/`;
      for (const { id } of (await stage.get(list)).body.results) await stage.post(list, { id, disassociate: true });
      const credential = await stage.credential({ credential_type: type, inputs: { url } });
      expect((await stage.post(list, { id: credential })).status).to.equal(204);
      source.commit(needed);
    }

    it('of the longest time that an update may take', async () => {
      const server = createServer(() => undefined).listen(0, '127.0.0.1');
      try {
        await once(server, 'listening');
        await from(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        await set({ DEFAULT_PROJECT_UPDATE_TIMEOUT: 5 });
        const { status, job_explanation: explanation } = await update();
        expect(status).to.equal('failed');
        expect(explanation).to.match(/timeout/);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });

    it('of the environment of the installation', async () => {
      const asked: (string | undefined)[] = [];
      const proxy = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(404).end('{}');
      }).listen(0, '127.0.0.1');
      try {
        await once(proxy, 'listening');
        await from('http://galaxy.invalid/');
        const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        await set({ GALAXY_TASK_ENV: { http_proxy: address } });
        expect((await update()).status).to.equal('failed');
        expect(asked[0]).to.match(/^http:\/\/galaxy\.invalid\//);
      } finally {
        proxy.close();
      }
    });

    it('of how much is told of it', async () => {
      await from('http://127.0.0.1:1/');
      const told = async () => said(`project_updates/${(await update()).id}`);
      expect(await told()).not.to.contain('config file =');
      await set({ PROJECT_UPDATE_VVV: true });
      expect(await told()).to.contain('config file =');
    });

    it('of certificates that nobody vouches for', async () => {
      let asked = 0;
      const server = createSecureServer({ key: selfSigned, cert: selfSigned }, (_request, response) => {
        asked++;
        response.writeHead(404).end('{}');
      }).listen(0, '127.0.0.1');
      try {
        await once(server, 'listening');
        await from(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
        expect((await update()).status).to.equal('failed');
        expect(asked).to.equal(0);
        await set({ GALAXY_IGNORE_CERTS: true });
        await update();
        expect(asked).to.be.above(0);
      } finally {
        server.close();
      }
    });
  });
});

import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { freePort } from '../../demo/free-port.ts';
import { type Opa, startOpa } from '../../plugins/policy/test/opa.ts';
import { finds, toolOf } from '../../plugins/scanning/test/tool.ts';
import { Node } from '../chaos/node.ts';
import { world } from '../rbac/world.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { killedAt } from './gate.ts';

type Send = (method: string, path: string, body?: unknown) => Promise<Response>;

/** What refuses every launch, and what it leaves of each. */
interface Refusing {
  plugin: string;
  /** where it stores what it said */
  table: string;
  /** the column that tells what it said, and what it says */
  said: [column: string, word: string];
  env(): Promise<Record<string, string>>;
  prepare(send: Send, organization: number): Promise<void>;
  stop(): Promise<void>;
}

const made = async (answer: Promise<Response>, status = 201) => {
  const { status: is } = await answer;
  expect(is).to.equal(status);
};

function policy(): Refusing {
  let opa: Opa;
  return {
    plugin: 'policy',
    table: 'plugin_policy.decisions',
    said: ['decision', 'deny'],
    async env() {
      opa = await startOpa();
      return { TAPLINE_POLICY_ENGINE_ENABLED: 'true', TAPLINE_POLICY_ENGINE_SERVER_URL: opa.url };
    },
    async prepare(send, organization) {
      await made(send('PATCH', `organizations/${organization}/`, { policy_enforcement: 'enforce' }), 200);
      const rego_module = 'package never\n\ndeny contains "never"\n';
      await made(send('POST', 'policies/', { name: 'never', enforcement: 'enforce', rego_module }));
    },
    stop: async () => opa?.stop(),
  };
}

function scanner(): Refusing {
  const found = {
    check_name: 'risky-octal',
    severity: 'major',
    description: 'never',
    location: { path: 'site.yml', lines: { begin: 1 } },
  };
  return {
    plugin: 'scanning',
    table: 'plugin_scanning.results',
    said: ['status', 'blocked'],
    async env() {
      const commands = JSON.stringify({ playbook_lint: toolOf(finds([found])) });
      return { TAPLINE_SCANNER_ENABLED: 'true', TAPLINE_SCANNER_COMMANDS: commands };
    },
    prepare: (send) =>
      made(send('POST', 'scanners/', { name: 'never', tool: 'playbook_lint', enforcement: 'enforce' })),
    stop: async () => undefined,
  };
}

describeWith(['opa'], 'a launch whose process is killed while a policy denies it', function () {
  this.timeout(600_000);
  isKilled(policy());
});

describe('a launch whose process is killed while a scanner blocks it', function () {
  this.timeout(600_000);
  isKilled(scanner());
});

function isKilled({ plugin, table, said: [column, word], env, prepare, stop }: Refusing): void {
  let base: TestDatabase;
  let node: Node;
  let data: string;
  let url: string;
  let template: number;

  before(async () => {
    const settings = await env();
    base = await createTestDatabase();
    data = mkdtempSync(join(tmpdir(), 'tapline-decision-'));
    chmodSync(data, 0o755);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v2/`;
    // a worker's beat removes what nobody decides any more
    node = new Node('web,worker', {
      DATABASE_URL: base.url,
      TAPLINE_DATA: data,
      TAPLINE_PLUGINS: plugin,
      ADMIN_PASSWORD: 'killed-secret',
      PORT: String(port),
      ...settings,
    });
    await start();
    const folder = join(data, 'projects', 'files');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'site.yml'), '- hosts: all\n');
    const make = world(base.db);
    const organization = await make.organization();
    const inventory = await make.inventory(organization);
    const project = await make.project(organization, { status: 'ok', scm_type: '', local_path: 'files' });
    const parts = { inventory_id: inventory.id, project_id: project.id, playbook: 'site.yml' };
    template = (await make.jobTemplate(organization, parts)).id;
    await prepare(send, organization.id);
  });
  after(async () => {
    await node?.kill();
    await base?.drop();
    await stop();
    if (data) removeFolder(data);
  });

  const send: Send = (method, path, body = {}) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Basic ${btoa('admin:killed-secret')}`, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });
  const start = async () => {
    node.start();
    const up = () =>
      send('GET', 'ping/').then(
        ({ ok }) => ok,
        () => false,
      );
    await until(up, 90_000, 'the service answers');
  };
  const launch = () => send('POST', `job_templates/${template}/launch/`);
  const stored = () => base.db(table).orderBy('id').select(column, 'unified_job_id', 'unified_job_template_id');
  const runs = () => base.db('runs').where({ template_id: template });

  /** Nobody answers the launch; what it left of a run goes. */
  async function killedBefore(change: string, when = 'true'): Promise<void> {
    let unanswered: Promise<string> | undefined;
    const work = async () =>
      void (unanswered = launch().then(
        ({ status }) => `answered ${status}`,
        () => 'no answer',
      ));
    await killedAt({ db: base.db, node, change, when, work });
    expect(await unanswered).to.equal('no answer');
    expect(await runs().pluck('status')).to.deep.equal(['new']);
    // nobody waits for its silence here
    await runs().update({ modified: '2020-01-01' });
    await start();
    await until(async () => !(await runs().pluck('id')).length, 90_000, 'the run that nobody decides is gone');
  }

  it('leaves neither run nor word before that is stored', async () => {
    await killedBefore(`insert on ${table}`);
    expect(await stored()).to.deep.equal([]);
  });

  it('leaves the word alone, as a refusal does, before the run is deleted', async () => {
    await killedBefore('delete on runs', "old.status = 'new'");
    expect(await stored()).to.deep.equal([{ [column]: word, unified_job_id: null, unified_job_template_id: template }]);
  });

  it('is refused when it is tried again, each time with one word', async () => {
    expect((await launch()).status).to.equal(403);
    expect(await runs().pluck('id')).to.deep.equal([]);
    expect((await stored()).length).to.equal(2);
  });
}

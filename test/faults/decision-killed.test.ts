import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { freePort } from '../../demo/free-port.ts';
import { type Opa, startOpa } from '../../plugins/policy/test/opa.ts';
import { Node } from '../chaos/node.ts';
import { world } from '../rbac/world.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { killedAt } from './gate.ts';

describeWith(['opa'], 'a launch whose process is killed while a policy denies it', function () {
  this.timeout(600_000);
  let base: TestDatabase;
  let node: Node;
  let opa: Opa;
  let data: string;
  let url: string;
  let template: number;

  before(async () => {
    opa = await startOpa();
    base = await createTestDatabase();
    data = mkdtempSync(join(tmpdir(), 'tapline-decision-'));
    chmodSync(data, 0o755);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v2/`;
    // a worker's beat removes what nobody decides any more
    node = new Node('web,worker', {
      DATABASE_URL: base.url,
      TAPLINE_DATA: data,
      TAPLINE_PLUGINS: 'policy',
      TAPLINE_POLICY_ENGINE_ENABLED: 'true',
      TAPLINE_POLICY_ENGINE_SERVER_URL: opa.url,
      ADMIN_PASSWORD: 'killed-secret',
      PORT: String(port),
    });
    await start();
    const make = world(base.db);
    const organization = await make.organization();
    const inventory = await make.inventory(organization);
    const project = await make.project(organization, { status: 'successful', scm_type: 'git', scm_revision: 'abc' });
    const parts = { inventory_id: inventory.id, project_id: project.id, playbook: 'site.yml' };
    template = (await make.jobTemplate(organization, parts)).id;
    expect(
      (await send('PATCH', `organizations/${organization.id}/`, { policy_enforcement: 'enforce' })).status,
    ).to.equal(200);
    const rego_module = 'package never\n\ndeny contains "never"\n';
    const made = await send('POST', 'policies/', { name: 'never', enforcement: 'enforce', rego_module });
    expect(made.status).to.equal(201);
  });
  after(async () => {
    await node?.kill();
    await base?.drop();
    await opa?.stop();
    if (data) removeFolder(data);
  });

  const send = (method: string, path: string, body: unknown = {}) =>
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
  const decisions = () => base.db('plugin_policy.decisions').orderBy('id').select('decision', 'unified_job_id');
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

  it('leaves neither run nor decision before the decision is stored', async () => {
    await killedBefore('insert on plugin_policy.decisions');
    expect(await decisions()).to.deep.equal([]);
  });

  it('leaves the decision alone, as a denial does, before the run is deleted', async () => {
    await killedBefore('delete on runs', "old.status = 'new'");
    expect(await decisions()).to.deep.equal([{ decision: 'deny', unified_job_id: null }]);
  });

  it('is denied when it is tried again, each time with one decision', async () => {
    expect((await launch()).status).to.equal(403);
    expect(await runs().pluck('id')).to.deep.equal([]);
    expect((await decisions()).length).to.equal(2);
  });
});

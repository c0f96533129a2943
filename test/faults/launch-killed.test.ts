import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../demo/free-port.ts';
import { Node } from '../chaos/node.ts';
import { world } from '../rbac/world.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { killedAt } from './gate.ts';

describe('a launch with Idempotency-Key whose process is killed', function () {
  let base: TestDatabase;
  let node: Node;
  let data: string;
  let url: string;
  let template: number;

  before(async () => {
    base = await createTestDatabase();
    data = mkdtempSync(join(tmpdir(), 'tapline-killed-'));
    chmodSync(data, 0o755);
    const port = await freePort();
    url = `http://127.0.0.1:${port}/api/v2/`;
    // nothing is carried out here: launches stay pending
    node = new Node('web', {
      DATABASE_URL: base.url,
      TAPLINE_DATA: data,
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
  });
  after(async () => {
    await node?.kill();
    await base?.drop();
    removeFolder(data);
  });

  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    fetch(url + path, { method, headers: { authorization: `Basic ${btoa('admin:killed-secret')}`, ...headers } });
  const start = async () => {
    node.start();
    const up = () =>
      send('GET', 'ping/').then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(up, 90_000, 'the service answers');
  };
  const launch = async (key: string) => {
    const answer = await send('POST', `job_templates/${template}/launch/`, { 'idempotency-key': key });
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };

  /** Kills the process before this change, and starts it again. */
  async function killAt(change: string, key: string): Promise<void> {
    let unanswered: Promise<string> | undefined;
    const work = async () => {
      unanswered = launch(key).then(
        ({ status }) => `answered ${status}`,
        () => 'no answer',
      );
    };
    await killedAt({ db: base.db, node, change, work });
    expect(await unanswered).to.equal('no answer');
    await start();
    // its beat is not heard of any more
    await base.db('idempotency_keys').update({ alive: '2020-01-01' });
  }

  const jobs = () => base.db('runs').where({ template_id: template }).orderBy('id').pluck('id');

  it('before the run is there, launches when it is sent again', async () => {
    await killAt('insert on runs', 'early');
    expect(await jobs()).to.deep.equal([]);
    const again = await launch('early');
    expect(again.status, JSON.stringify(again.body)).to.equal(201);
    expect(again.headers.get('idempotency-replayed')).to.equal(null);
    expect(await jobs()).to.deep.equal([again.body.id]);
  });

  it('between the launch and the answer, answers with that run when it is sent again', async () => {
    const before = await jobs();
    await killAt('update of status on idempotency_keys', 'late');
    const after = await jobs();
    expect(after).to.have.lengthOf(before.length + 1);
    const again = await launch('late');
    expect(again.status, JSON.stringify(again.body)).to.equal(201);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.body).to.include({ job: after.at(-1), id: after.at(-1) });
    expect(await jobs()).to.deep.equal(after);
  });
});

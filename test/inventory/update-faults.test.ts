import { expect } from 'chai';
import { type Stage, startStage } from '../launch/fixture.ts';
import { until } from '../support/until.ts';

const shell = (...lines: string[]) => ['#!/bin/sh', ...lines, ''].join('\n');
const printing = (document: unknown) => shell("cat <<'END'", JSON.stringify(document), 'END');
const good = { _meta: { hostvars: { kept: { ansible_connection: 'local' } } }, web: { hosts: ['kept'] } };

describe('an inventory update that something happens to', function () {
  let stage: Stage;
  let inventory: number;
  let source: number;
  let made = 0;

  const add = async (path: string, body: object): Promise<any> => {
    const answer = await stage.post(path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const shown = async (id: number) => (await stage.get(`inventory_updates/${id}/`)).body;
  const reached = (id: number, test: (body: any) => boolean): Promise<any> =>
    until(async () => {
      const body = await shown(id);
      return test(body) ? body : undefined;
    }, 90_000);
  const ended = (id: number) => reached(id, ({ finished }) => finished !== null);
  const makeSource = async (source_script: string) =>
    (
      await add('inventory_sources/', {
        name: `s${(made += 1)}`,
        inventory,
        source: 'custom',
        source_script,
        overwrite: true,
        overwrite_vars: true,
      })
    ).id as number;
  const begin = async (id: number): Promise<number> =>
    (await add(`inventory_sources/${id}/update/`, {})).inventory_update;
  const updateWith = async (source_script: string): Promise<number> => {
    const { status } = await stage.request('PATCH', `inventory_sources/${source}/`, { body: { source_script } });
    expect(status).to.equal(200);
    return begin(source);
  };
  const hosts = async () =>
    (await stage.get(`inventories/${inventory}/hosts/`)).body.results.map(({ name }: { name: string }) => name);

  before(async () => {
    stage = await startStage();
    const { organization } = (await stage.get(`inventories/${stage.inventory}/`)).body;
    inventory = (await add('inventories/', { name: 'struck', organization })).id;
    const body = { INVENTORY_MAX_BYTES: 8_000_000 };
    expect((await stage.request('PATCH', 'settings/jobs/', { body })).status).to.equal(200);
    source = await makeSource(printing(good));
    const first = await ended(await begin(source));
    expect(first.status, first.job_explanation).to.equal('successful');
  });
  after(() => stage?.stop());

  it('ends with a reason where the source prints without end, or what is no inventory; the inventory stays', async () => {
    const cases: [script: string, reason: RegExp][] = [
      [
        shell('head -c 1000000000 /dev/zero'),
        /^The source gave more than \d+ bytes and was ended: .*INVENTORY_MAX_BYTES/,
      ],
      [shell('head -c 4000 /dev/urandom'), /^The source could not be read: /],
      [printing({ _meta: { hostvars: {} }, web: { hosts: ['kept', 'a\0b'] } }), /a character that cannot be stored/],
      [
        printing({ _meta: { hostvars: {} }, a: { children: ['b'] }, b: { children: ['c'] }, c: { children: ['a'] } }),
        /recursive dependency loop|contain each other|could not be read/,
      ],
    ];
    for (const [script, reason] of cases) {
      const update = await ended(await updateWith(script));
      expect(update.status, update.job_explanation).to.equal('failed');
      expect(update.job_explanation).to.match(reason);
      expect(await hosts()).to.deep.equal(['kept']);
    }
  });

  it('ends when its process is killed, and leaves the inventory as it was', async () => {
    const id = await updateWith(shell('sleep 600'));
    await reached(id, ({ status }) => status === 'running');
    const { handle } = await stage.services.db('runs').where({ id }).first('handle');
    process.kill(handle.pid, 'SIGKILL');
    const update = await ended(id);
    expect(update.status, update.job_explanation).to.equal('error');
    expect(update.job_explanation).to.not.equal('');
    expect(await hosts()).to.deep.equal(['kept']);
  });

  it('has no other of its source beside it: one waits for the other', async () => {
    const ids = [await updateWith(shell('sleep 1', `echo '${JSON.stringify(good)}'`)), await begin(source)];
    const [first, second] = await Promise.all(ids.map(ended));
    expect([first.status, second.status]).to.deep.equal(['successful', 'successful']);
    expect(Date.parse(first.finished)).to.be.at.most(Date.parse(second.started));
    expect(await hosts()).to.deep.equal(['kept']);
  });

  it('has those of other sources beside it, and jobs of the inventory wait for all of them', async () => {
    const slow = (name: string) => shell('sleep 2', `echo '{"_meta":{"hostvars":{}},"web":{"hosts":["${name}"]}}'`);
    const second = await makeSource(slow('second'));
    const updates = [await updateWith(slow('kept')), await begin(second)];
    const local = { extra_vars: 'ansible_connection: local' };
    const job = await stage.launch(await stage.template({ inventory, ...local }));
    expect(job.status).to.equal('pending');
    const done = await Promise.all(updates.map(ended));
    expect(done.map(({ status }) => status)).to.deep.equal(['successful', 'successful']);
    const { started, status, job_explanation } = await stage.ended(job.id);
    expect(status, job_explanation).to.equal('successful');
    for (const { finished } of done) expect(Date.parse(finished)).to.be.at.most(Date.parse(started));
    expect(await hosts()).to.deep.equal(['kept', 'second']);
  });
});

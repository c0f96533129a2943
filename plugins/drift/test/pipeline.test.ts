import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../../test/support/until.ts';
import { type DriftStage, startDrift } from './stage.ts';

const own = join(import.meta.dirname, '../../../.tools/engine/bin/python');
const python = existsSync(own) ? own : '/usr/bin/python3';
/** The vector of the hash: what a client computes of the facts that it is shown. */
const hashByPython =
  'import hashlib, json, sys; facts = json.load(sys.stdin)["facts"]; print(hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest())';

describe('drift of facts', function () {
  this.timeout(600_000);
  let stage: DriftStage;

  before(async () => {
    stage = await startDrift();
  });
  after(() => stage?.stop());

  const ofHost = (host: number, of: string) => stage.all(`${of}/?host=${host}&order_by=id`);
  const pairs = async (host: number) =>
    (await ofHost(host, 'drift_detections')).map((one) => [
      one.snapshot_before,
      one.snapshot_after,
      one.job,
      one.detail.before,
      one.detail.after,
    ]);

  describe('gathered by the engine', () => {
    let jobs: number[];
    let good: number;

    before(async () => {
      stage.writeSysctl({ 'kernel.panic': 0, 'vm.swappiness': 60 });
      const first = await stage.gather();
      stage.writeSysctl({ 'kernel.panic': 10, 'vm.swappiness': 60 });
      const second = await stage.gather();
      const third = await stage.gather({ colour: 'red', repair: true });
      jobs = [first, second, third];
      good = (await stage.get('hosts/?name=good')).body.results[0].id;
    });

    it('are snapshots whose hash is the one that Python computes of the facts shown', async () => {
      const snapshots = await ofHost(good, 'fact_snapshots');
      expect(snapshots.map(({ job }) => job)).to.deep.equal(jobs);
      for (const { id, facts_hash: hash, size, ...shown } of snapshots) {
        const { text, body } = await stage.get(`fact_snapshots/${id}/`);
        expect(execFileSync(python, ['-c', hashByPython], { input: text }).toString().trim()).to.equal(hash);
        expect(text).to.match(/"version":\s?1\.0/);
        expect(Object.keys(body.facts).length).to.be.greaterThan(50);
        expect(size).to.be.greaterThan(5000);
        expect(shown).to.not.have.property('facts');
        expect(body).to.include({ host: good, inventory: stage.inventory, organization: 1 });
      }
      const { rows } = await stage.services.db.raw(
        `select s.size::float / nullif(length(s.content), 0) as later, s.size::float / length(b.content) as first
         from plugin_drift.snapshots s join plugin_drift.bases b on b.id = s.base_id where s.host_id = ? order by s.id`,
        [good],
      );
      expect(rows).to.have.length(3);
      expect(rows[0].first).to.be.greaterThan(2);
      expect(Math.min(rows[1].later, rows[2].later)).to.be.greaterThan(20);
    });

    it('have no drift at first, then one row for each key that changed, from snapshot to snapshot', async () => {
      const ids = (await ofHost(good, 'fact_snapshots')).map(({ id }) => id);
      const found = await ofHost(good, 'drift_detections');
      expect(found.some(({ job }) => job === jobs[0])).to.equal(false);
      const sysctl = found.filter(({ fact_path: path }) => path === 'sysctl');
      expect(sysctl).to.have.length(1);
      expect(sysctl[0]).to.deep.include({
        host: good,
        job: jobs[1],
        category: 'kernel',
        severity: 'critical',
        diff_type: 'changed',
        summary: 'sysctl/kernel.panic changed from 0 to 10',
        snapshot_before: ids[0],
        snapshot_after: ids[1],
        acknowledged: false,
        acknowledged_by: null,
        acknowledged_at: null,
      });
      const { detail } = (await stage.get(`drift_detections/${sysctl[0].id}/`)).body;
      expect(detail).to.deep.equal({
        before: { 'kernel.panic': 0, 'vm.swappiness': 60 },
        after: { 'kernel.panic': 10, 'vm.swappiness': 60 },
        diff_type: 'changed',
        paths: [{ op: 'replace', path: '/kernel.panic', before: 0, value: 10 }],
      });
      const env = found.filter(({ fact_path: path, job }) => path === 'ansible_env' && job === jobs[2]);
      expect(env[0].detail.paths).to.deep.include({
        op: 'replace',
        path: '/DRIFT_COLOUR',
        before: 'blue',
        value: 'red',
      });
      expect(found.filter(({ fact_path: path }) => /date_time|uptime_seconds/.test(path))).to.deep.equal([]);
    });

    it('are tagged by whether one of our runs changed something on the host meanwhile', async () => {
      const found = await ofHost(good, 'drift_detections');
      const tags = (job: number) => [...new Set(found.filter((one) => one.job === job).map((one) => one.attribution))];
      expect(tags(jobs[1]!)).to.deep.equal(['out_of_band']);
      expect(tags(jobs[2]!)).to.deep.equal(['expected']);
    });

    it('stand in the timeline of the host, with the runs that worked on it', async () => {
      const { id } = (await stage.get('hosts/?name=good')).body.results[0];
      const { status, body } = await stage.get(`hosts/${id}/timeline/`);
      expect(status).to.equal(200);
      expect(body.complete).to.equal(true);
      const kinds = Map.groupBy(body.results as { kind: string; summary: string }[], ({ kind }) => kind);
      expect(kinds.get('run')).to.have.length(3);
      expect(kinds.get('run')![0]!.summary).to.match(/: successful, 1 changed, 0 failed$/);
      expect(kinds.get('snapshot')).to.have.length(3);
      expect(kinds.get('drift')!.map(({ summary }) => summary)).to.include('sysctl/kernel.panic changed from 0 to 10');
      const times = body.results.map(({ at }: { at: string }) => Date.parse(at));
      expect(times).to.deep.equal(times.toSorted((a: number, b: number) => b - a));
      expect((await stage.get(`hosts/${id}/timeline/?to=2020-01-01`)).body.count).to.equal(0);
      const today = new Date().toISOString().slice(0, 10);
      const span = (await stage.get(`hosts/${id}/timeline/?from=2020-01-01T00:00&to=${today}`)).body;
      expect(span).to.include({ from: `2020-01-01T00:00:00.000Z`, to: `${today}T23:59:59.999Z` });
      expect(span.count).to.be.greaterThan(0);
      for (const from of [
        'x',
        '5',
        '',
        '2026-02-30',
        '2026-01-01T99:00Z',
        '999999-01-01',
        '0000-01-01',
        '9999-12-31T23:59:59-23:59',
      ])
        expect((await stage.get(`hosts/${id}/timeline/?from=${from}`)).body, from).to.have.property('from');
    });

    it('are ours where a command, or a run that was cut short, may have changed something', async () => {
      const bad = (await stage.get('hosts/?name=bad')).body.results[0].id;
      let panic = 20;
      const tagsAfter = async () => {
        stage.writeSysctl({ 'kernel.panic': ++panic });
        const job = await stage.gather();
        const found = await stage.all(`drift_detections/?job=${job}&fact_path=sysctl`);
        return [good, bad].map((host) => found.find((one) => one.host === host).attribution);
      };
      await tagsAfter();
      const command = await stage.post('ad_hoc_commands/', {
        inventory: stage.inventory,
        module_name: 'command',
        module_args: 'true',
        limit: 'good',
      });
      expect(command.status, command.text).to.equal(201);
      await until(async () => (await stage.get(`ad_hoc_commands/${command.body.id}/`)).body.finished, 60_000);
      expect(await tagsAfter()).to.deep.equal(['expected', 'out_of_band']);
      const { id: cut } = await stage.launch(await stage.template({ playbook: 'sleeping.yml', name: 'cut' }));
      await until(
        async () => (await stage.get(`jobs/${cut}/job_events/?event=runner_on_start`)).body.count === 2,
        60_000,
      );
      await stage.post(`jobs/${cut}/cancel/`);
      expect((await stage.ended(cut)).status).to.equal('canceled');
      expect(await tagsAfter()).to.deep.equal(['expected', 'expected']);
      expect(await tagsAfter()).to.deep.equal(['out_of_band', 'out_of_band']);
      const { results } = (await stage.get(`hosts/${good}/timeline/`)).body;
      const told = (of: string) => results.filter(({ url }: { url: string }) => url.includes(of));
      expect(told(`/ad_hoc_commands/${command.body.id}/`)[0].summary).to.equal(
        'command: successful, 1 changed, 0 failed',
      );
      expect(told(`/jobs/${cut}/`)[0].summary).to.equal('cut: canceled, 0 changed, 0 failed');
      for (const { kind, url } of results)
        expect((await stage.get(url.replace('/api/v2/', ''))).status, `${kind} ${url}`).to.equal(200);
      const [event] = told('ad_hoc_command_events/');
      expect(event.summary).to.equal('changed: command');
      expect((await stage.get(event.url.replace('/api/v2/', ''))).body.ad_hoc_command).to.equal(command.body.id);
    });

    it('are told below the host, and linked there', async () => {
      const { body } = await stage.get(`hosts/${good}/`);
      expect(body.related).to.include({ drift: `/api/v2/hosts/${good}/drift/` });
      const below = await stage.all(`hosts/${good}/drift/`);
      expect(below.length).to.equal((await ofHost(good, 'drift_detections')).length);
    });
  });

  describe('reported', () => {
    it('are stored only when they changed, whatever core calls them', async () => {
      const host = await stage.host('same');
      const [one, two, three] = [await stage.run(), await stage.run(), await stage.run()];
      const first = await stage.learn(one, host, { a: 1 });
      const second = await stage.learn(two, host, { a: 2 });
      await stage.tell(one, [{ host_id: host, ...first }]);
      await stage.tell(two, [{ host_id: host, ...second }]);
      // a run that found what was there already
      await stage.tell(three, [{ host_id: host, old_hash: second.new_hash, new_hash: second.new_hash }]);
      await stage.settled();
      expect((await ofHost(host, 'fact_snapshots')).map(({ job }) => job)).to.deep.equal([one, two]);
    });

    it('in the wrong order are pairs in the right one', async () => {
      const host = await stage.host('late');
      const runs = [await stage.run(), await stage.run(), await stage.run(), await stage.run()];
      const told: Awaited<ReturnType<DriftStage['learn']>>[] = [];
      for (const [n, run] of runs.entries()) told.push(await stage.learn(run, host, { kernel: n % 3 }));
      const say = (n: number) => stage.tell(runs[n]!, [{ host_id: host, ...told[n]! }]);
      await say(0);
      await stage.settled();
      await say(3);
      await say(2);
      await stage.settled(2);
      expect(await ofHost(host, 'fact_snapshots')).to.have.length(1);
      await say(1);
      await stage.settled();
      const ids = (await ofHost(host, 'fact_snapshots')).map(({ id }) => id);
      expect(await pairs(host)).to.deep.equal([
        [ids[0], ids[1], runs[1], 0, 1],
        [ids[1], ids[2], runs[2], 1, 2],
        [ids[2], ids[3], runs[3], 2, 0],
      ]);
    });

    it('are each there once, told twice, at once, and with a death in between', async () => {
      const { db } = stage.services;
      const hosts = [await stage.host('once-a'), await stage.host('once-b')];
      const [one, two] = [await stage.run(), await stage.run()];
      const told = async (run: number, kernel: number) => {
        const found = [];
        for (const host of hosts) found.push({ host_id: host, ...(await stage.learn(run, host, { kernel })) });
        return found;
      };
      const [first, second] = [await told(one, 1), await told(two, 2)];
      // as if the database went away in the middle of storing
      await db.raw(
        `create function plugin_drift.die() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$;
         create trigger die before insert on plugin_drift.detections for each row execute function plugin_drift.die()`,
      );
      await Promise.all([one, one, two, two].map((run) => stage.tell(run, run === one ? first : second)));
      await until(async () => {
        const failed = await db('tapline_jobs.jobs')
          .where('task_identifier', 'drift:capture')
          .whereNotNull('last_error')
          .first();
        return failed;
      }, 60_000);
      await db.raw('drop trigger die on plugin_drift.detections; drop function plugin_drift.die()');
      await db.raw(`update tapline_jobs._private_jobs set run_at = now() where locked_at is null`);
      await stage.settled();
      // the same word once more, when all is done
      await stage.tell(one, first);
      await stage.tell(two, second);
      await stage.settled();
      for (const host of hosts) {
        expect((await ofHost(host, 'fact_snapshots')).map(({ job }) => job)).to.deep.equal([one, two]);
        expect(await ofHost(host, 'drift_detections')).to.have.length(1);
      }
    });

    it('are each there once where a run tells of them in parts, however often', async () => {
      const hosts = [await stage.host('part-a'), await stage.host('part-b')];
      const [one, two] = [await stage.run(), await stage.run()];
      for (const [run, kernel] of [
        [one, 1],
        [two, 2],
      ] as const) {
        const told = [];
        for (const host of hosts) told.push({ host_id: host, ...(await stage.learn(run, host, { kernel })) });
        for (const part of [1, 0, 1, 0]) await stage.tell(run, [told[part]!], part);
        await stage.settled();
      }
      for (const host of hosts) {
        expect((await ofHost(host, 'fact_snapshots')).map(({ job }) => job)).to.deep.equal([one, two]);
        expect(await ofHost(host, 'drift_detections')).to.have.length(1);
      }
    });

    it('go on where facts changed while nobody looked', async () => {
      const host = await stage.host('gap');
      const runs = [await stage.run(), await stage.run(), await stage.run()];
      const told: Awaited<ReturnType<DriftStage['learn']>>[] = [];
      for (const [n, run] of runs.entries()) told.push(await stage.learn(run, host, { kernel: n }));
      await stage.tell(runs[0]!, [{ host_id: host, ...told[0]! }]);
      await stage.settled();
      // nobody was told of the second
      await stage.tell(runs[2]!, [{ host_id: host, ...told[2]! }]);
      await stage.settled(1);
      await stage.patienceEnds();
      expect((await pairs(host)).map(([, , job, was, is]) => [job, was, is])).to.deep.equal([
        [null, 0, 1],
        [runs[2], 1, 2],
      ]);
    });

    it('wait for what belongs before them also where that state was known before', async () => {
      const host = await stage.host('back');
      const runs = [await stage.run(), await stage.run(), await stage.run()];
      const told: Awaited<ReturnType<DriftStage['learn']>>[] = [];
      for (const [n, run] of runs.entries()) told.push(await stage.learn(run, host, { 'known before': n % 2 }));
      await stage.services.db('facts').update({ created: new Date(Date.now() - 3_600_000) });
      for (const [n, waiting] of [
        [0, 0],
        [2, 1],
        [1, 0],
      ] as const) {
        await stage.tell(runs[n]!, [{ host_id: host, ...told[n]! }]);
        await stage.settled(waiting);
      }
      expect((await ofHost(host, 'fact_snapshots')).map(({ job }) => job)).to.deep.equal(runs);
      expect(await ofHost(host, 'drift_detections')).to.have.length(2);
    });

    it('may be huge, deep, empty, with letters of every kind; hosts and facts that are gone are left out', async () => {
      const [host, gone] = [await stage.host('huge'), await stage.host('gone')];
      const huge = Object.fromEntries(
        Array.from({ length: 50_000 }, (_, n) => [`package-${n}`, { version: 'x'.repeat(70) }]),
      );
      const deep = JSON.parse(`${'['.repeat(900)}1${']'.repeat(900)}`);
      const runs = [await stage.run(), await stage.run(), await stage.run()];
      const states = [
        {},
        { packages: huge, deep, '\ud83d\ude00': 'a\ufffdb', Kernel: 1, kernel: 2, __proto__: 5 },
        { packages: { ...huge, 'package-7': null }, deep, '\ud83d\ude00': 'a', Kernel: 2, kernel: 2 },
      ];
      for (const [n, run] of runs.entries()) {
        const found = [
          { host_id: host, ...(await stage.learn(run, host, states[n]!)) },
          { host_id: gone, old_hash: null, new_hash: `no such facts ${n}` },
          { host_id: 999_999, old_hash: null, new_hash: 'no such host' },
        ];
        await stage.tell(run, found);
      }
      await stage.settled();
      expect((await ofHost(host, 'fact_snapshots')).map(({ job }) => job)).to.deep.equal(runs);
      const last = (await ofHost(host, 'drift_detections')).filter(({ job }) => job === runs[2]);
      expect(last.map(({ fact_path: path }) => path)).to.deep.equal(['Kernel', 'packages', '\ud83d\ude00']);
      const [, packages] = last;
      // lists leave out what is huge
      expect(packages.detail).to.deep.equal({});
      const { body } = await stage.get(`drift_detections/${packages.id}/`);
      expect(body.detail.paths).to.deep.equal([
        { op: 'replace', path: '/package-7', before: { version: 'x'.repeat(70) }, value: null },
      ]);
      expect(await ofHost(gone, 'fact_snapshots')).to.deep.equal([]);
    });

    it('go with their host and their inventory', async () => {
      const { body: inventory } = await stage.post('inventories/', { name: 'short-lived', organization: 1 });
      const { body: host } = await stage.post('hosts/', { name: 'short', inventory: inventory.id });
      const run = await stage.run();
      await stage.tell(run, [{ host_id: host.id, ...(await stage.learn(run, host.id, { a: 1 })) }]);
      await stage.settled();
      expect(await ofHost(host.id, 'fact_snapshots')).to.have.length(1);
      expect((await stage.request('DELETE', `hosts/${host.id}/`)).status).to.equal(204);
      const { db } = stage.services;
      expect(await db('plugin_drift.snapshots').where({ host_id: host.id })).to.deep.equal([]);
    });
  });
});

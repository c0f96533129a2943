import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeWith } from '../../../test/support/needs.ts';
import { madeHostNeeds, type MadeHost, makeHost, makeKey } from './made-host.ts';
import { type DriftStage, startDrift } from './stage.ts';

/** What the engine can tell of a host, and what tasks of their own read there. */
const gathering = `- hosts: all
  tasks:
    - name: Forward packets no more
      command: sysctl -w net.ipv4.ip_forward=0
      when: repair | default(false)
    - package_facts:
    - service_facts:
    - getent: {database: passwd}
    - command: sysctl -n net.ipv4.ip_forward
      changed_when: false
      register: forwarding
    - set_fact:
        cacheable: true
        motd: the password is canary-of-become
        sysctl: {net.ipv4.ip_forward: "{{ forwarding.stdout }}"}
`;

describeWith(madeHostNeeds, 'drift of hosts that really change', function () {
  this.timeout(600_000);
  let stage: DriftStage;
  let changing: MadeHost;
  let others: MadeHost;
  let template: number;
  let ids: { changing: number; others: number };
  let second: number;

  before(async () => {
    const key = makeKey();
    [stage, changing, others] = await Promise.all([startDrift(), makeHost('changing', key), makeHost('others', key)]);
    writeFileSync(join(stage.dataDir, 'projects', 'stage', 'look.yml'), gathering);
    const inventory = (await stage.post('inventories/', { name: 'made', organization: 1 })).body.id;
    const host = async (name: string, { port }: MadeHost) => {
      const variables = `ansible_host: 127.0.0.1\nansible_port: ${port}\nansible_python_interpreter: /usr/bin/python3\n`;
      return (await stage.post('hosts/', { name, inventory, variables })).body.id as number;
    };
    ids = { changing: await host('changing', changing), others: await host('others', others) };
    template = await stage.template({
      inventory,
      playbook: 'look.yml',
      use_fact_cache: true,
      ask_variables_on_launch: true,
      allow_simultaneous: true,
    });
    const inputs = { username: 'root', ssh_key_data: key.private, become_password: 'canary-of-become' };
    const credential = await stage.credential({ credential_type: stage.machineType, inputs });
    await stage.post(`job_templates/${template}/credentials/`, { id: credential });
  });
  after(async () => {
    await stage?.stop();
    await changing?.stop();
    await others?.stop();
  });

  async function look(variables: object = {}): Promise<number> {
    const { id } = await stage.launch(template, { extra_vars: variables });
    const { status, result_stdout: output } = await stage.ended(id);
    expect(status, output).to.equal('successful');
    await stage.settled();
    return id;
  }
  const driftOf = (host: number, job: number) =>
    stage.all(`drift_detections/?host=${host}&job=${job}&order_by=fact_path`);
  const factOf = async (host: number, job: number, path: string) => {
    const found = (await driftOf(host, job)).find(({ fact_path: fact }) => fact === path);
    expect(found, `drift of ${path}`).to.be.an('object');
    return (await stage.get(`drift_detections/${found.id}/`)).body;
  };

  it('tells of a package, a service, accounts, a mount, a setting of the kernel and an address, each in its category', async () => {
    await look();
    changing.run(`dpkg --log=/dev/null -i ${changing.package}`);
    changing.run('/etc/init.d/probe stop');
    changing.run('useradd --no-create-home drifter && usermod --shell /bin/sh root');
    changing.run('mount -t tmpfs /dev/probe /mnt');
    changing.run('sysctl -w net.ipv4.ip_forward=1');
    changing.run('ip address add 192.0.2.7/32 dev lo');
    second = await look();
    const of = (path: string) => factOf(ids.changing, second, path);
    const packages = await of('packages');
    expect(packages).to.include({ category: 'packages', severity: 'medium', attribution: 'out_of_band' });
    expect(packages.detail.paths.map(({ op, path }: any) => [op, path])).to.deep.equal([['add', '/drift-probe']]);
    expect(packages.detail.after['drift-probe'][0]).to.include({ version: '1.2.3', arch: 'all' });
    const services = await of('services');
    expect(services).to.include({
      category: 'services',
      severity: 'medium',
      summary: 'services/probe/state changed from running to stopped',
    });
    const accounts = await of('getent_passwd');
    expect(accounts.detail.paths.map(({ op, path }: any) => [op, path])).to.deep.include(['add', '/drifter']);
    expect(await of('ansible_user_shell')).to.include({
      category: 'users_groups',
      severity: 'high',
      summary: 'user_shell changed from /bin/bash to /bin/sh',
    });
    const { detail: mounts, ...mount } = await of('ansible_mounts');
    expect(mount).to.include({ category: 'mounts', severity: 'medium' });
    const probes = (list: any[]) => list.filter(({ device }) => device === '/dev/probe').map((one) => one.mount);
    expect([probes(mounts.before), probes(mounts.after)]).to.deep.equal([[], ['/mnt']]);
    expect(await of('sysctl')).to.include({
      category: 'kernel',
      severity: 'critical',
      summary: 'sysctl/net.ipv4.ip_forward changed from 0 to 1',
    });
    const addresses = await of('ansible_all_ipv4_addresses');
    expect(addresses).to.include({ category: 'network', severity: 'high' });
    expect([addresses.detail.before, addresses.detail.after]).to.deep.equal([[], ['192.0.2.7']]);
  });

  it('tells nothing of that for a host where nothing was changed', async () => {
    const found = (await driftOf(ids.others, second)).map(({ fact_path: path }) => path);
    // not of mounts: they tell how much room is left on this machine
    for (const path of ['packages', 'services', 'getent_passwd', 'ansible_user_shell', 'sysctl'])
      expect(found).to.not.include(path);
    expect(found).to.not.include('ansible_date_time');
  });

  it('keeps no secret that a run knows', async () => {
    const [{ id }] = await stage.all(`fact_snapshots/?host=${ids.changing}`);
    const { body, text } = await stage.get(`fact_snapshots/${id}/`);
    expect(body.facts.motd).to.equal('the password is $encrypted$');
    expect(text).to.not.include('canary-of-become');
    const { rows } = await stage.services.db.raw(
      `select count(*)::int as count from facts where document::text like '%canary-of-become%'`,
    );
    expect(rows[0].count).to.equal(0);
  });

  it('calls expected what a run of ours changed, which stands in the timeline', async () => {
    const third = await look({ repair: true });
    expect(await factOf(ids.changing, third, 'sysctl')).to.include({
      summary: 'sysctl/net.ipv4.ip_forward changed from 1 to 0',
      attribution: 'expected',
    });
    const { body } = await stage.get(`hosts/${ids.changing}/timeline/`);
    expect(body.complete).to.equal(true);
    const events = body.results.filter(({ kind }: any) => kind === 'event');
    expect(events.map(({ summary }: any) => summary)).to.deep.equal(['changed: Forward packets no more']);
    const event = (await stage.get(events[0].url.replace('/api/v2/', ''))).body;
    expect(event).to.include({ job: third, host: ids.changing, changed: true, event: 'runner_on_ok' });
  });

  it('has consecutive pairs where two jobs on the same hosts end together', async () => {
    const launched = await Promise.all([1, 2].map(() => stage.launch(template)));
    const jobs = await Promise.all(launched.map(({ id }) => stage.ended(id)));
    expect(jobs.map(({ status }) => status)).to.deep.equal(['successful', 'successful']);
    await stage.settled();
    for (const host of Object.values(ids)) {
      const snapshots = (await stage.all(`fact_snapshots/?host=${host}&order_by=id`)).map(({ id }) => id);
      const found = await stage.all(`drift_detections/?host=${host}`);
      expect(found).to.have.length.greaterThan(0);
      for (const { snapshot_before: before, snapshot_after: after } of found)
        expect(snapshots.indexOf(after)).to.equal(snapshots.indexOf(before) + 1);
      expect(new Set(snapshots).size).to.equal(snapshots.length);
    }
  });
});

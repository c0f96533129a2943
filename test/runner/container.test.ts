import { expect } from 'chai';
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { removeContainer } from '../../core/runner/container/container-tool.ts';
import { type Stage as Service, startStage } from '../launch/fixture.ts';
import { type ImageStore, makeImageStore } from '../support/engine-image.ts';
import { describeWith, isRoot } from '../support/needs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { addAccount } from './account.ts';
import { makeStage } from './stage.ts';

/** Tells where it runs, as whom and with what. */
const telling = `
- hosts: good
  gather_facts: false
  tasks:
    - command: cat /etc/of-the-image
      register: marker
    - command: id -u
      register: user
    - stat: {path: "{{ hidden }}"}
      register: seen
    - copy: {content: "{{ secret }}", dest: "{{ lookup('env', 'HOME') }}/written"}
    - debug: {msg: "marker={{ marker.stdout }} user={{ user.stdout }} seen={{ seen.stat.exists }} multi={{ lookup('env', 'MULTI') | length }}"}
    - set_stats: {data: {where: "{{ marker.stdout }}"}}
`;

/** A source whose one host is named after a file of the image. */
const tellingSource = `#!/bin/sh
echo '{"all": {"hosts": ["from-'$(cat /etc/of-the-image)'"]}, "_meta": {"hostvars": {}}}'
`;

describeWith(['podman', 'runc'], 'runner: a run in its execution environment', function () {
  let service: Service;
  let store: ImageStore;

  before(async function () {
    store = makeImageStore();
    service = await startStage({ CONTAINER_COMMAND: 'podman' });
    writeFileSync(join(service.dataDir, 'projects', 'stage', 'telling.yml'), telling);
  });
  after(async () => {
    await service?.stop();
    store?.end();
  });

  const environment = async (body: object = {}) => {
    const answer = await service.post('execution_environments/', {
      name: `e${Math.random()}`,
      image: store.image,
      pull: 'never',
      ...body,
    });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    return answer.body.id as number;
  };
  const output = async (job: number) => (await service.get(`jobs/${job}/stdout/?format=txt`)).text as string;
  const containers = () => store.podman('ps', '--all', '--quiet').trim();
  const gone = async (job: number) => {
    const folder = join(service.dataDir, 'jobs', String(job));
    await until(() => !existsSync(folder), 30_000, 'the end of the workspace');
    expect(containers()).to.equal('');
  };

  it('runs a playbook with the engine of the image, seeing its workspace and nothing of the node', async () => {
    await service.request('PATCH', 'settings/jobs/', { body: { AWX_TASK_ENV: { MULTI: "it's\n$two `lines`" } } });
    const template = await service.template({
      playbook: 'telling.yml',
      execution_environment: await environment(),
      extra_vars: JSON.stringify({ hidden: join(service.dataDir, 'keys'), secret: 'x' }),
    });
    const job = await service.ended((await service.launch(template)).id);
    const said = await output(job.id);
    expect([job.status, job.job_explanation], said).to.deep.equal(['successful', '']);
    expect(said).to.include('marker=yes').and.to.include('seen=False').and.to.include('multi=17');
    if (isRoot) expect(Number(/user=(\d+)/.exec(said)?.[1])).to.be.within(64_321, 65_320);
    expect(job.artifacts).to.deep.equal({ where: 'yes' });
    const events = (await service.get(`jobs/${job.id}/job_events/?event=runner_on_ok`)).body.results;
    expect(events).to.have.length(6);
    // the text of each event is the part of the output that it claimed
    expect(events[0].stdout).to.include('changed: [');
    await gone(job.id);
  });

  it('runs ad hoc commands and updates of inventories there as well', async () => {
    const command = await service.post('ad_hoc_commands/', {
      inventory: service.inventory,
      limit: 'good',
      module_name: 'command',
      module_args: 'cat /etc/of-the-image',
      execution_environment: await environment(),
    });
    expect(command.status, JSON.stringify(command.body)).to.equal(201);
    const path = `ad_hoc_commands/${command.body.id}/`;
    const ended = await until(async () => {
      const { body } = await service.get(path);
      return body.finished && body;
    }, 60_000);
    expect(ended.status).to.equal('successful');
    expect((await service.get(`${path}stdout/?format=txt`)).text).to.include('CHANGED | rc=0 >>\nyes');

    const { organization } = (await service.get(`inventories/${service.inventory}/`)).body;
    const inventory = (await service.post('inventories/', { name: 'of an image', organization })).body.id;
    const source = await service.post('inventory_sources/', {
      name: 'telling',
      inventory,
      source: 'custom',
      source_script: tellingSource,
      execution_environment: await environment(),
    });
    expect(source.status, JSON.stringify(source.body)).to.equal(201);
    const { body: begun } = await service.post(`inventory_sources/${source.body.id}/update/`);
    const update = await until(async () => {
      const { body } = await service.get(`inventory_updates/${begun.id}/`);
      return body.finished && body;
    }, 60_000);
    expect([update.status, update.job_explanation]).to.deep.equal(['successful', '']);
    const found = (await service.get(`inventories/${inventory}/hosts/`)).body.results;
    expect(found.map(({ name }: { name: string }) => name)).to.deep.equal(['from-yes']);
    await gone(update.id);
  });

  it('ends a container whose run is canceled', async () => {
    const template = await service.template({ playbook: 'sleeping.yml', execution_environment: await environment() });
    const { id } = await service.launch(template);
    await until(async () => (await output(id)).includes('TASK ['), 60_000, 'the first task');
    expect(containers()).to.not.equal('');
    expect((await service.post(`jobs/${id}/cancel/`, {})).status).to.equal(202);
    expect((await service.ended(id)).status).to.equal('canceled');
    await gone(id);
  });

  it('says why there is no container, and keeps what belongs to the registry out of everybody’s sight', async () => {
    const type = (await service.get('credential_types/?namespace=registry')).body.results[0].id;
    const inputs = { host: 'localhost:9', username: 'puller', password: 'registry-secret', verify_ssl: false };
    const credential = await service.credential({ credential_type: type, inputs });
    const fetched = await environment({ image: 'localhost:9/engine:2', pull: 'always', credential });
    const template = await service.template({ execution_environment: fetched });
    const job = await service.ended((await service.launch(template)).id);
    expect(job.status).to.equal('error');
    expect(job.job_explanation).to.match(/^The engine could not be started: .*localhost:9/);
    expect(JSON.stringify(job) + (await output(job.id))).to.not.include('registry-secret');
    await gone(job.id);
  });

  it('outlives the process that started it: another one takes it up, and ends it', async () => {
    const first = makeStage(undefined, { containerCommand: 'podman' });
    const spec = { ...(await first.spec('hang.yml')), container: { image: store.image, pull: 'never' as const } };
    await first.executor.start(spec);
    const second = makeStage(first.dataDir, { containerCommand: 'podman' });
    const handle = (await second.executor.recover(spec.run_id))!;
    const said = async () => String(await second.executor.read(handle, 'stdout', 0, 1 << 20));
    await until(async () => (await said()).includes('hanging now'), 60_000, 'the task that hangs');
    expect(await second.executor.status(handle)).to.deep.equal({ state: 'running' });
    await second.executor.cancel(handle);
    const { status } = await second.finished(handle);
    expect(status).to.deep.include({ state: 'exited' }).and.to.have.nested.property('exit.reason', 'canceled');
    await second.executor.cleanup(handle);
    expect(containers()).to.equal('');
    await Promise.all([first.end(), second.end()]);
  });

  it('ends with what is left of it where its wrapper was killed', async () => {
    const stage = makeStage(undefined, { containerCommand: 'podman' });
    const spec = { ...(await stage.spec('hang.yml')), container: { image: store.image, pull: 'never' as const } };
    const handle = await stage.executor.start(spec);
    await until(() => containers() !== '', 60_000, 'the container');
    process.kill(handle['pid'] as number, 'SIGKILL');
    await until(async () => (await stage.executor.status(handle)).state === 'lost', 30_000);
    await stage.executor.cleanup(handle);
    expect(containers()).to.equal('');
    await stage.end();
  });

  it('removes a container at a second try where podman met its end and refused', async () => {
    const folder = temporaryFolder('podman');
    const [idFile, command] = [join(folder, 'id'), join(folder, 'podman')];
    store.podman('create', '--pull=never', `--cidfile=${idFile}`, store.image, 'true');
    const refusing = `#!/bin/sh\n[ -e ${folder}/asked ] && exec podman "$@"\ntouch ${folder}/asked\nexit 2\n`;
    writeFileSync(command, refusing, { mode: 0o755 });
    await removeContainer({ command, rootless: false }, idFile);
    expect(containers()).to.equal('');
  });

  describeWith(['newuidmap', 'root', 'a checkout open to all'], 'of a service that is an ordinary user’s', () => {
    const user = `tapline-${process.pid}`;
    const home = mkdtempSync(join(tmpdir(), 'home-'));
    let removeAccount: (() => void) | undefined;
    before(() => {
      removeAccount = addAccount(user, home);
      execFileSync('chown', [user, home]);
      chmodSync(store.archive, 0o644);
      chmodSync(dirname(store.archive), 0o755);
    });
    after(() => {
      removeAccount?.();
      execFileSync('rm', ['-rf', home]);
    });

    it('is that user inside, and is ended, taken up and removed all the same', async () => {
      const script = join(import.meta.dirname, 'container-runs.ts');
      const { stdout } = await promisify(execFile)(
        'runuser',
        ['-u', user, '--', process.execPath, script, store.archive],
        {
          env: { PATH: process.env['PATH'], HOME: home, XDG_RUNTIME_DIR: home, TMPDIR: home },
          cwd: home,
        },
      );
      const uid = Number(execFileSync('id', ['-u', user], { encoding: 'utf8' }));
      expect(JSON.parse(stdout)).to.deep.equal({
        rootless: true,
        played: { state: 'exited', code: 0, said: `marker=yes user=${uid}` },
        canceled: 'canceled',
        killed: 'lost',
        left: '',
      });
    });
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContainerTool } from '../../core/runner/container/container-tool.ts';
import { makeImageStore } from '../support/engine-image.ts';
import { until } from '../support/until.ts';
import { makeStage } from './stage.ts';

/**
 * Runs in containers as whoever starts this, with the image of the archive that is named; tells on standard output what became
 * of them.
 */
const playbook = `
- hosts: all
  gather_facts: false
  tasks:
    - command: cat /etc/of-the-image
      register: marker
    - command: id -u
      register: user
    - debug: {msg: "marker={{ marker.stdout }} user={{ user.stdout }}"}
`;

const store = makeImageStore(process.argv[2]);
const options = { containerCommand: 'podman' };
const stage = makeStage(undefined, options);
const container = { image: store.image, pull: 'never' as const };
const containers = () => store.podman('ps', '--all', '--quiet').trim();
const hanging = async () => {
  const handle = await stage.executor.start({ ...(await stage.spec('hang.yml')), container });
  const said = async () => String(await stage.executor.read(handle, 'stdout', 0, 1 << 20));
  await until(async () => (await said()).includes('hanging now'), 60_000, 'the task that hangs');
  return handle;
};

async function played() {
  const path = join(process.env['HOME']!, 'playbooks');
  mkdirSync(path);
  writeFileSync(join(path, 'who.yml'), playbook);
  const spec = await stage.spec('who.yml', { checkout: { kind: 'folder', path } });
  const { status, stdout } = await stage.run({ ...spec, container });
  const code = status.state === 'exited' ? status.exit.rc : null;
  return { state: status.state, code, said: /marker=\S+ user=\d+/.exec(stdout)?.[0] ?? stdout };
}

/** By another one, that took it up. */
async function canceled() {
  const { run_id: run } = (await hanging()) as unknown as { run_id: number };
  const other = makeStage(stage.dataDir, options);
  const handle = (await other.executor.recover(run))!;
  await other.executor.cancel(handle);
  const { status } = await other.finished(handle);
  await other.executor.cleanup(handle);
  return status.state === 'exited' ? status.exit.reason : status.state;
}

/** Its wrapper is. */
async function killed() {
  const handle = await hanging();
  process.kill(handle['pid'] as number, 'SIGKILL');
  const ended = await stage.finished(handle);
  await stage.executor.cleanup(handle);
  return ended.status.state;
}

const { rootless } = await createContainerTool({ config: options }).podman();
const told = {
  rootless,
  played: await played(),
  canceled: await canceled(),
  killed: await killed(),
};
// what ended by itself goes with its workspace
await stage.end();
const left = containers();
// ends the process, too, that holds the namespace of this user's containers
store.podman('system', 'migrate');
store.end();
process.stdout.write(JSON.stringify({ ...told, left }));

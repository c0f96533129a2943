/** A launch is denied by a policy, and another stopped by a scanner; both go on once their reason is gone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CallError, type Client } from './client.ts';
import { freePort } from './free-port.ts';

interface Scene {
  client: Client;
  data: string;
  signal: AbortSignal;
  say: (text: string) => void;
  show: (text: string) => void;
  follow: (job: number) => Promise<any>;
}

const root = new URL('..', import.meta.url).pathname;
const places = [
  join(root, '.tools/opa'),
  join(root, '.tools/ansible-lint/bin'),
  ...(process.env['PATH'] ?? '').split(delimiter),
];

function find(program: string): string {
  const path = places.map((folder) => join(folder, program)).find(isProgram);
  if (!path)
    throw new Error(`This demo needs ${program}: npm run setup -- --test brings it, or put yours on the PATH.`);
  return path;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The policy engine beside the service, as an operator runs it. */
async function startEngine(signal: AbortSignal): Promise<{ url: string; engine: ChildProcess }> {
  const address = `127.0.0.1:${await freePort()}`;
  const engine = spawn(find('opa'), ['run', '--server', '--addr', address, '--log-level', 'error'], {
    stdio: 'ignore',
  });
  const url = `http://${address}`;
  while (!(await fetch(`${url}/health`).catch(() => null))?.ok) {
    signal.throwIfAborted();
    if (engine.exitCode !== null) throw new Error(`the policy engine ended with code ${engine.exitCode}`);
    await delay(50);
  }
  return { url, engine };
}

const playbook = (mode: string) => `- name: Write a note
  hosts: all
  gather_facts: false
  tasks:
    - name: Write it
      ansible.builtin.copy:
        content: "hello\\n"
        dest: /tmp/tapline-demo-note
        mode: ${mode}
`;

async function prepare({ client, data }: Scene, engine: string) {
  const { id: organization } = await client.one('organizations', 'Default');
  const { id: inventory } = await client.one('inventories', 'Demo Inventory');
  const { id: credential } = await client.one('credentials', 'Demo Credential');
  await client.call('PATCH', 'settings/security/', {
    POLICY_ENGINE_ENABLED: true,
    POLICY_ENGINE_SERVER_URL: engine,
    SCANNER_ENABLED: true,
  });
  await client.call('PATCH', `organizations/${organization}/`, { policy_enforcement: 'enforce' });
  await client.call('POST', 'policies/', {
    name: 'A change ticket for everything',
    enforcement: 'enforce',
    rego_module: readFileSync(join(root, 'plugins/policy/library/change_ticket.rego'), 'utf8'),
  });
  await client.call('POST', 'scanners/', {
    name: 'No risky playbooks',
    tool: 'playbook_lint',
    severity_threshold: 'high',
    enforcement: 'enforce',
  });
  const folder = join(data, 'projects', 'gates');
  mkdirSync(folder, { recursive: true });
  const write = (mode: string) => writeFileSync(join(folder, 'note.yml'), playbook(mode));
  write('644');
  const project = await client.call('POST', 'projects/', { name: 'Gates', organization, local_path: 'gates' });
  const template = await client.call('POST', 'job_templates/', {
    name: 'Write a note',
    project: project.id,
    inventory,
    playbook: 'note.yml',
    ask_variables_on_launch: true,
  });
  await client.call('POST', `job_templates/${template.id}/credentials/`, { id: credential });
  return { template, write };
}

export async function gatesDemo(scene: Scene): Promise<boolean> {
  const { client, signal, say, show, follow } = scene;
  find('ansible-lint');
  const { url, engine } = await startEngine(signal);
  try {
    const { template, write } = await prepare(scene, url);
    const launch = (variables: object) =>
      client.call('POST', `job_templates/${template.id}/launch/`, { extra_vars: variables });
    const refused = async (variables: object) => {
      const { status, body } = await launch(variables).then(
        () => ({ status: 201, body: { detail: 'It was let through.', reasons: [] as string[] } }),
        (error: unknown) => {
          if (error instanceof CallError) return { status: error.status, body: JSON.parse(error.text) };
          throw error;
        },
      );
      show([`   ${status} ${body.detail}`, ...body.reasons.map((reason: string) => `       ${reason}`)].join('\n'));
      return status === 403;
    };
    say('a launch without a change ticket');
    const denied = await refused({});
    say('a launch with one, of a playbook that writes a file with mode 644, which is octal 1204');
    const blocked = await refused({ change_ticket: 'CHG4711' });
    const { results } = await client.call('GET', 'scan_results/?order_by=-id&page_size=1');
    const { findings } = await client.call('GET', `scan_results/${results[0].id}/`);
    for (const { severity, rule_id: rule, file_path: file, line } of findings)
      show(`       ${severity} ${rule} at ${file}:${line}`);
    say("the playbook says '0644' now");
    write("'0644'");
    const job = await follow((await launch({ change_ticket: 'CHG4711' })).job);
    say(`job ${job.id} ended: ${job.status}`);
    return denied && blocked && findings.length > 0 && job.status === 'successful';
  } finally {
    engine.kill('SIGTERM');
    if (engine.exitCode === null && engine.signalCode === null) await once(engine, 'exit');
  }
}

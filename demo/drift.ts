import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import type { Client } from './client.ts';

/** What the service is started with besides. */
export const driftEnvironment = {
  TAPLINE_PLUGINS: 'drift,console',
  TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '["127.0.0.1"]',
  TAPLINE_DRIFT_ALERT_GROUP_SECONDS: '0',
};

const playbook = `- hosts: all
  tasks:
    - name: Read the list of packages
      ansible.builtin.set_fact:
        packages: "{{ lookup('ansible.builtin.file', 'packages.yml') | from_yaml }}"
        cacheable: true
`;

interface Tools {
  client: Client;
  data: string;
  say(text: string): void;
  follow(job: number): Promise<any>;
  signal: AbortSignal;
}

/** Facts, a change, facts again: the change is found, and a mail tells of it. */
export async function showDrift({ client, data, say, follow, signal }: Tools): Promise<boolean> {
  const folder = join(data, 'projects', 'drift');
  const writePackages = (packages: object) => writeFileSync(join(folder, 'packages.yml'), JSON.stringify(packages));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'gather.yml'), playbook);
  const { id: organization } = await client.one('organizations', 'Default');
  const { id: inventory } = await client.one('inventories', 'Demo Inventory');
  const { id: credential } = await client.one('credentials', 'Demo Credential');
  const mailbox = await receiveMail();
  try {
    const project = await client.call('POST', 'projects/', { name: 'Drift', organization, local_path: 'drift' });
    const columns = {
      name: 'Gather facts',
      project: project.id,
      inventory,
      playbook: 'gather.yml',
      use_fact_cache: true,
    };
    const template = await client.call('POST', 'job_templates/', columns);
    await client.call('POST', `job_templates/${template.id}/credentials/`, { id: credential });
    const mail = await client.call('POST', 'notification_templates/', mailTo(organization, mailbox.port));
    const gather = async () => follow((await client.call('POST', `job_templates/${template.id}/launch/`, {})).job);

    writePackages({ openssl: '3.0.15', nginx: '1.22.1' });
    say('facts are gathered');
    await gather();
    await client.call('POST', 'drift_alert_rules/', {
      name: 'Packages',
      organization,
      categories: ['packages'],
      notification_template: mail.id,
    });
    writePackages({ openssl: '3.0.17', nginx: '1.22.1', netcat: '1.10' });
    say('openssl is upgraded, netcat comes along; facts are gathered again');
    await gather();
    const found = await until(signal, async () => {
      const { results } = await client.call('GET', 'drift_detections/?fact_path=packages&diff_type=changed');
      return results.length ? results : undefined;
    });
    for (const { summary_fields: of, severity, summary } of found) say(`${of.host.name}: ${severity}: ${summary}`);
    const text = await until(signal, async () => mailbox.mails[0]);
    say('the mail that came:');
    console.log(text);
    return true;
  } finally {
    await mailbox.stop();
  }
}

const mailTo = (organization: number, port: number) => ({
  name: 'Mail',
  organization,
  notification_type: 'email',
  notification_configuration: {
    host: '127.0.0.1',
    port,
    username: '',
    password: '',
    use_tls: false,
    use_ssl: false,
    sender: 'tapline@example.com',
    recipients: ['operations@example.com'],
    timeout: 10,
  },
});

async function receiveMail() {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, _session, done) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        mails.push(Buffer.concat(parts).toString());
        done();
      });
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, stop: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

async function until<T>(signal: AbortSignal, look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    const found = await look();
    if (found !== undefined) return found;
    await delay(200);
  }
}

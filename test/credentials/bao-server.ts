import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../core/config/config.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { freePort } from '../../demo/free-port.ts';
import { until } from '../support/until.ts';

export interface Bao {
  url: string;
  /** the same vault behind TLS, which asks for a client's certificate but needs none */
  tls: { url: string; authority: string; client: { certificate: string; key: string } };
  token: string;
  /** as root; throws for what is refused */
  write(path: string, body?: object, method?: string): Promise<any>;
  stop(): Promise<void>;
}

/** An authority, and what it signed for a server on loopback and for a client. */
function certificates(folder: string) {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  openssl('req', '-x509', ...key, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  for (const [name, usage] of Object.entries({ server: 'serverAuth', client: 'clientAuth' })) {
    const more = ['-addext', 'subjectAltName=IP:127.0.0.1', '-addext', `extendedKeyUsage=${usage}`];
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-keyout', `${name}.key`, '-out', `${name}.pem`];
    openssl('req', '-x509', ...key, '-subj', `/CN=${name}`, ...more, ...signed);
  }
  const text = (name: string) => readFileSync(at(name), 'utf8');
  return { authority: text('ca.pem'), client: { certificate: text('client.pem'), key: text('client.key') } };
}

/** A real OpenBao in memory. */
export async function startBao(): Promise<Bao> {
  const [port, tlsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const token = 'canary-root-token';
  const home = mkdtempSync(join(tmpdir(), 'tapline-bao-'));
  const known = certificates(home);
  const listener = {
    address: `127.0.0.1:${tlsPort}`,
    tls_cert_file: `${home}/server.pem`,
    tls_key_file: `${home}/server.key`,
  };
  writeFileSync(join(home, 'tls.json'), JSON.stringify({ listener: [{ tcp: listener }] }));
  const dev = ['-dev', '-dev-no-store-token', `-dev-root-token-id=${token}`, `-dev-listen-address=127.0.0.1:${port}`];
  const child = spawn(
    join(root, '.tools', 'bao', 'bin', 'bao'),
    ['server', ...dev, `-config=${join(home, 'tls.json')}`],
    { env: { PATH: '/usr/bin:/bin', HOME: home, SKIP_SETCAP: '1' }, stdio: 'ignore', detached: true },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  const ask = (path: string, body?: object, method = body ? 'POST' : 'GET') =>
    fetch(`${url}/v1/${path}`, {
      method,
      headers: { 'x-vault-token': token, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  await until(async () => (await ask('sys/health').catch(() => undefined))?.ok, 60_000, 'a vault');
  return {
    url,
    token,
    tls: { url: `https://127.0.0.1:${tlsPort}`, ...known },
    async write(path, body, method) {
      const answer = await ask(path, body, method);
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${path} ${answer.status} ${text}`);
      return text ? JSON.parse(text) : undefined;
    },
    async stop() {
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
      removeFolder(home);
    },
  };
}

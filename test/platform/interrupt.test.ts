import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../core/config/config.ts';
import { freePort } from '../../demo/free-port.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

interface Command {
  /** all that it has said so far */
  said(): string;
  /** exit code */
  ended: Promise<number | null>;
  /** What Ctrl-C does: every process of the terminal's foreground gets the signal. Resolves to the exit code. */
  interrupt(): Promise<number | null>;
  /** Whatever happened: nothing of it stays. */
  end(): void;
}

function npmRun([script, ...words]: readonly string[], env: Record<string, string>): Command {
  const child: ChildProcess = spawn('npm', ['run', script!, '--', ...words], {
    cwd: root,
    // its own process group, as a shell gives each command
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  const signal = (number: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, number);
    } catch {
      // all gone
    }
  };
  return {
    said: () => text,
    ended,
    async interrupt() {
      signal('SIGINT');
      return ended;
    },
    end: () => signal('SIGKILL'),
  };
}

/** Processes that have a word in their command line or environment. */
function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return ['cmdline', 'environ'].some((file) => readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(word));
    } catch {
      return false;
    }
  });
}

describe('Ctrl-C', function () {
  let folder: string;
  let command: Command;
  const begin = (script: string, env: Record<string, string>) => void (command = npmRun(script.split(' '), env));
  const says = (text: string) => until(() => command.said().includes(text), 120_000, `"${text}" of npm run`);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-interrupt-'));
    // embedded Postgres has a user of its own
    chmodSync(folder, 0o755);
  });
  afterEach(() => {
    command?.end();
    removeFolder(folder);
  });

  it('stops npm start and leaves nothing running; the next start goes on with its data', async () => {
    const env = { TAPLINE_DATA: join(folder, 'data'), DATABASE_URL: '', PORT: String(await freePort()) };
    begin('start', env);
    await says('Ctrl-C stops it');
    expect(command.said()).to.contain('shown this once');
    expect(await command.interrupt(), command.said()).to.equal(0);
    await until(() => processesWith(folder).length === 0);

    begin('start', env);
    await says('Ctrl-C stops it');
    expect(command.said()).not.to.contain('shown this once');
    expect(await command.interrupt(), command.said()).to.equal(0);
    await until(() => processesWith(folder).length === 0);
  });

  it('is not needed for npm run demo, which uses nothing of its caller and colours no file', async () => {
    begin('demo', {
      TMPDIR: folder,
      DATABASE_URL: 'postgres://127.0.0.1:9/of-the-caller',
      TAPLINE_ROLES: 'web',
      TAPLINE_NODE_NAME: 'of-the-caller',
      TAPLINE_DATA: '/sys/of-the-caller',
    });
    expect(await command.ended, command.said()).to.equal(0);
    expect(command.said()).to.contain('ended: successful').and.not.to.contain('\u001B[');
    await until(() => processesWith(folder).length === 0);
  });

  it('is not needed for npm run demo -- drift, which shows the drift that it made and the mail about it', async () => {
    begin('demo drift', { TMPDIR: folder });
    expect(await command.ended, command.said()).to.equal(0);
    const [, told = '', mail = ''] =
      /facts are gathered again([^]*)the mail that came:([^]*)/.exec(command.said()) ?? [];
    expect(told).to.match(/: medium: packages changed: .*openssl/);
    expect(mail).to.match(/Subject: Drift: Packages: (1 change on|alerts of 2 hosts)/);
    await until(() => processesWith(folder).length === 0);
  });

  it('cancels the job of npm run demo and leaves nothing behind', async () => {
    begin('demo', { TMPDIR: folder });
    await says('TASK [');
    expect(await command.interrupt(), command.said()).to.equal(130);
    expect(command.said()).to.contain('ended: canceled');
    await until(() => processesWith(folder).length === 0);
    expect(readdirSync(folder).filter((name) => name.startsWith('tapline-demo'))).to.deep.equal([]);
  });
});

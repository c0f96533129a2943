import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { setupModule } from './modules.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const { underLock } = await setupModule('lock');

describe('the lock of set-up', () => {
  let folder: string;
  let lock: string;
  const long = new Date(Date.now() - 3_600_000);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tapline-lock-'));
    lock = join(folder, 'setup.lock');
  });
  afterEach(() => removeFolder(folder));

  it('is held while the work is done, and goes with its end', async () => {
    expect(await underLock(lock, async () => readFileSync(lock, 'utf8'))).to.equal(String(process.pid));
    await underLock(lock, async () => Promise.reject(new Error('no'))).catch(() => undefined);
    expect(existsSync(lock)).to.equal(false);
  });

  it('does not wait for one that was killed, were its file empty or its number another process now', async () => {
    for (const left of ['', String(process.pid), '1']) {
      writeFileSync(lock, left);
      utimesSync(lock, long, long);
      expect(await underLock(lock, async () => 'done')).to.equal('done');
    }
    writeFileSync(lock, '4194304');
    expect(await underLock(lock, async () => 'done'), 'nobody has that number').to.equal('done');
  });

  it('lets one after the other in', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, (inside += 1));
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => underLock(lock, work, { pollMs: 1 })));
    expect(most).to.equal(1);
  });

  it('is not waited for without end', async () => {
    writeFileSync(lock, String(process.pid));
    const text = await underLock(lock, async () => 'done', { waitMs: 1, pollMs: 5 }).catch(
      (error: Error) => error.message,
    );
    expect(text).to.match(new RegExp(`Another set-up \\(process ${process.pid}\\).*remove ${lock}`));
    expect(existsSync(lock)).to.equal(true);
  });
});

import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createKeyRing, isCiphertext } from '../../core/secrets/key-ring.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

const cell = { table: 'credentials', column: 'inputs.password', id: 7 };

describe('key ring', () => {
  let dataDir: string;
  const ring = (secretKey = '') => createKeyRing({ config: { dataDir, secretKey } });
  beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'tapline-keys-'))));
  afterEach(() => removeFolder(dataDir));

  it('returns what was encrypted, of any text', () => {
    for (const text of ['', 'secret', 'ümläut 🔑', 'x'.repeat(100_000)]) {
      const sealed = ring().encrypt(text, cell);
      expect(isCiphertext(sealed)).to.equal(true);
      expect(ring().decrypt(sealed, cell)).to.equal(text);
    }
  });

  it('gives the same text another form every time', () => {
    expect(ring().encrypt('a', cell)).not.to.equal(ring().encrypt('a', cell));
  });

  it('creates its file for the owner alone', () => {
    ring().encrypt('a', cell);
    expect(statSync(join(dataDir, 'keys.json')).mode & 0o777).to.equal(0o600);
  });

  it('refuses a file that others can read, and says how to mend it', () => {
    ring().encrypt('a', cell);
    chmodSync(join(dataDir, 'keys.json'), 0o640);
    expect(() => ring().encrypt('a', cell)).to.throw(/mode 0640.*chmod 600/);
  });

  it('refuses a damaged file without quoting it', () => {
    writeFileSync(join(dataDir, 'keys.json'), '{"keys": [{"key": "canary-key-material"', { mode: 0o600 });
    expect(() => ring().encrypt('a', cell))
      .to.throw(/cannot be read/)
      .and.not.match(/canary/);
  });

  it('opens a secret only where it was stored', () => {
    const sealed = ring().encrypt('a', cell);
    for (const other of [
      { ...cell, id: 8 },
      { ...cell, column: 'inputs.username' },
      { ...cell, table: 'run_secrets' },
    ]) {
      expect(() => ring().decrypt(sealed, other)).to.throw(/altered or belongs elsewhere/);
    }
  });

  it('notices every changed character', () => {
    const sealed = ring().encrypt('secret', cell);
    for (let at = 18; at < sealed.length - 1; at += 3) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      expect(() => ring().decrypt(changed, cell), `position ${at}`).to.throw();
    }
  });

  it('keeps old keys after a rotation, and other rings notice the new one', () => {
    const other = ring();
    const old = other.encrypt('a', cell);
    const active = ring().rotate();
    expect(other.encrypt('b', cell)).to.include(active);
    expect(other.decrypt(old, cell)).to.equal('a');
    expect(other.retired()).to.have.length(1);
    other.drop(other.keyIds());
    expect(other.keyIds()).to.deep.equal([active]);
    expect(() => other.decrypt(old, cell)).to.throw(/not in the key ring/);
  });

  it('takes its keys from TAPLINE_SECRET_KEY, old ones after a comma', () => {
    const first = 'f'.repeat(32);
    const second = 's'.repeat(32);
    const sealed = ring(first).encrypt('a', cell);
    expect(ring(`${second}, ${first}`).decrypt(sealed, cell)).to.equal('a');
    expect(ring(`${second}, ${first}`).encrypt('b', cell)).to.include(ring(second).activeKeyId());
    expect(() => ring(second).decrypt(sealed, cell)).to.throw(/not in the key ring/);
    expect(() => ring(second).rotate()).to.throw(/TAPLINE_SECRET_KEY/);
  });

  it('still opens what the file sealed before the variable was set', () => {
    const sealed = ring().encrypt('a', cell);
    expect(ring('f'.repeat(40)).decrypt(sealed, cell)).to.equal('a');
  });

  it('refuses a short TAPLINE_SECRET_KEY without quoting it', () => {
    expect(() => ring('canary'))
      .to.throw(/at least 32/)
      .and.not.match(/canary/);
  });

  it('has one ring, whoever creates it first', () => {
    const ids = Array.from({ length: 20 }, () => ring().activeKeyId());
    expect(new Set(ids).size).to.equal(1);
    expect(JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')).keys).to.have.length(1);
  });
});

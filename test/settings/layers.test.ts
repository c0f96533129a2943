import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { rotateKeys } from '../../core/secrets/rotate.ts';
import { createKeyRing, isCiphertext } from '../../core/secrets/key-ring.ts';
import { settingDefinitions } from '../../core/settings/definitions.ts';
import { checkValue } from '../../core/settings/check-value.ts';
import type { SettingDefinition } from '../../core/settings/definition.ts';
import { createSettings } from '../../core/settings/settings.ts';
import { changeStored, readStored } from '../../core/settings/store.ts';
import { createTestDatabase } from '../support/database.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

describe('the layers of settings', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tapline-layers-'));
  const file = (text: string) => writeFileSync(join(dataDir, 'settings.json'), text);
  afterEach(() => rmSync(join(dataDir, 'settings.json'), { force: true }));
  after(() => removeFolder(dataDir));
  const start = (settings: Record<string, string> = {}) => createSettings({ config: { settings, dataDir } });

  it('have defaults that are legal themselves', () => {
    for (const [key, definition] of Object.entries<SettingDefinition>(settingDefinitions))
      expect(checkValue(definition, definition.default), key).to.deep.equal(definition.default);
  });

  it('name the file and the key when the file is wrong', () => {
    file('{');
    expect(() => start()).to.throw(/settings\.json must hold one JSON object/);
    file('[]');
    expect(() => start()).to.throw(/settings\.json must hold one JSON object/);
    file('{"MAX_FORK": 1}');
    expect(() => start()).to.throw(/settings\.json: there is no setting MAX_FORK/);
    file('{"MAX_FORKS": -1}');
    expect(() => start()).to.throw(/settings\.json: MAX_FORKS is set, which cannot be used: Must be 0 or more/);
  });

  it('let the environment win over the file', () => {
    file('{"MAX_FORKS": 3, "UI_NEXT": true}');
    const settings = start({ MAX_FORKS: '4' });
    expect(settings.get('MAX_FORKS')).to.equal(4);
    expect(settings.get('UI_NEXT')).to.equal(true);
  });

  it('never print a secret that cannot be used', () => {
    expect(() => start({ LOG_AGGREGATOR_PASSWORD: 'canary\0' })).to.throw(/^(?!.*canary).*LOG_AGGREGATOR_PASSWORD/s);
  });

  it('take definitions of plugins, under keys of their own', async () => {
    const definition: SettingDefinition = { category: 'security', type: 'boolean', default: false, help: 'Ours.' };
    const settings = createSettings({ config: { settings: {} }, more: { SCANNER_ENABLED: definition } });
    expect(settings.state('SCANNER_ENABLED')).to.include({ value: false, origin: 'default' });
    expect(() => createSettings({ config: { settings: {} }, more: { MAX_FORKS: definition } })).to.throw(
      /MAX_FORKS is defined already/,
    );
  });

  it('never let an older reading hide a newer one', async () => {
    const settings = start();
    const slow = Promise.withResolvers<Map<string, unknown>>();
    const older = settings.refresh(() => slow.promise);
    const newer = settings.refresh(async () => new Map([['MAX_FORKS', 2]]));
    slow.resolve(new Map([['MAX_FORKS', 1]]));
    await Promise.all([older, newer]);
    expect(settings.get('MAX_FORKS')).to.equal(2);
  });

  it('go on after a reading that failed', async () => {
    const settings = start();
    const failed = await settings
      .refresh(() => Promise.reject(new Error('away')))
      .catch((error: Error) => error.message);
    expect(failed).to.equal('away');
    await settings.refresh(async () => new Map([['MAX_FORKS', 2]]));
    expect(settings.get('MAX_FORKS')).to.equal(2);
  });

  it('keep secrets readable when the keys are changed', async () => {
    const { db, drop } = await createTestDatabase();
    try {
      const settings = start();
      const keyRing = createKeyRing({ config: { dataDir, secretKey: '' } });
      const store = { db, keyRing, settings };
      await changeStored(
        store,
        new Map<string, unknown>([
          ['LOG_AGGREGATOR_PASSWORD', 'canary'],
          ['MAX_FORKS', 9],
        ]),
      );
      const [before] = await db('settings').where('key', 'LOG_AGGREGATOR_PASSWORD');
      expect(isCiphertext(before.value)).to.equal(true);
      const report = await rotateKeys({ db, keyRing, now: Date.now() + 48 * 3600 * 1000 });
      expect(report).to.deep.include({ reencrypted: 1, unreadable: [], kept: [] });
      const stored = await readStored(store);
      expect(Object.fromEntries(stored)).to.deep.equal({ LOG_AGGREGATOR_PASSWORD: 'canary', MAX_FORKS: 9 });
    } finally {
      await drop();
    }
  });
});

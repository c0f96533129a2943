import { createKeyRing } from '../../secrets/key-ring.ts';
import { recordState } from '../../nodes/recorded.ts';
import { rotateKeys } from '../../secrets/rotate.ts';
import { withDatabase } from './with-database.ts';

export async function rotate(): Promise<void> {
  await withDatabase(async ({ config, db }) => {
    const report = await rotateKeys({ db, keyRing: createKeyRing({ config }) });
    await recordState(db, { active_key: report.active });
    console.log(`Active key: ${report.active}. Encrypted again: ${report.reencrypted}.`);
    if (report.dropped.length) console.log(`Forgotten keys: ${report.dropped.join(', ')}.`);
    if (report.kept.length)
      console.log(`Retired keys kept for a day, for nodes that still use them: ${report.kept.join(', ')}.`);
    if (report.unreadable.length) {
      console.error(`No key opens these secrets, they were left as they are:\n  ${report.unreadable.join('\n  ')}`);
      process.exitCode = 1;
    }
  });
}

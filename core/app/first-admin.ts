import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { hashPassword } from '../accounts/password.ts';
import { isWellKnownPassword } from '../accounts/well-known-password.ts';
import type { Config } from '../config/config.ts';

export interface FirstAdmin {
  username: string;
  created: boolean;
  /** Only when it was generated just now: it is printed this one time. */
  password: string | null;
  /** Where the generated password lies, as long as it is still in use. */
  file: string | null;
}

const username = 'admin';
const lockKey = 7_236_003;

/** On a database without users, makes `admin`; a password that was changed since is nowhere to be found. */
export async function ensureFirstAdmin({
  db,
  config,
}: {
  db: Knex;
  config: Pick<Config, 'dataDir' | 'adminPassword'>;
}): Promise<FirstAdmin> {
  const file = join(config.dataDir, 'admin-password');
  const known = await currentAdmin(db, file);
  if (known) return known;
  return db.transaction(async (trx) => {
    await trx.raw('select pg_advisory_xact_lock(?)', [lockKey]);
    const other = await currentAdmin(trx, file);
    if (other) return other;
    const generated = config.adminPassword ? null : randomBytes(15).toString('base64url');
    const password = await hashPassword(generated ?? config.adminPassword);
    await trx('users').insert({
      username,
      password,
      is_superuser: true,
      initial_password: generated !== null,
      well_known_password: isWellKnownPassword(config.adminPassword, username),
    });
    if (generated) writeFileSync(file, `${generated}\n`, { mode: 0o600 });
    return { username, created: true, password: generated, file: generated ? file : null };
  });
}

async function currentAdmin(db: Knex, file: string): Promise<FirstAdmin | null> {
  const admin = await db('users').where({ username }).first('initial_password');
  if (admin)
    return { username, created: false, password: null, file: admin.initial_password && existsSync(file) ? file : null };
  const anybody = await db('users').first('id');
  return anybody ? { username: '', created: false, password: null, file: null } : null;
}

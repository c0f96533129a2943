import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { hashPassword } from '../../accounts/password.ts';
import { isWellKnownPassword } from '../../accounts/well-known-password.ts';
import { CommandError } from './command-error.ts';
import { withDatabase } from './with-database.ts';

/** Also the way back in for somebody who has lost the password. */
export async function createAdmin(username: string, { passwordFile }: { passwordFile?: string }): Promise<void> {
  const chosen = await readPassword(passwordFile);
  const password = chosen || randomBytes(15).toString('base64url');
  if (password.length < 8) throw new CommandError('The password needs at least 8 characters.');
  await withDatabase(async ({ db, config }) => {
    const columns = {
      password: await hashPassword(password),
      is_superuser: true,
      is_active: true,
      initial_password: false,
      well_known_password: isWellKnownPassword(password, username),
    };
    const [row] = await db('users')
      .insert({ username, ...columns })
      .onConflict('username')
      .merge({ ...columns, modified: db.fn.now() })
      .returning(['id', db.raw('(xmax = 0) as created')]);
    if (username === 'admin') rmSync(join(config.dataDir, 'admin-password'), { force: true });
    console.log(`Superuser ${username} (id ${row.id}) ${row.created ? 'created' : 'has a new password'}.`);
    if (!chosen) console.log(`  password: ${password}   (shown this once)`);
  });
}

/** '' where nobody chose one. */
async function readPassword(file: string | undefined): Promise<string> {
  if (file !== undefined) return readFrom(file);
  if (process.env.ADMIN_PASSWORD) return process.env.ADMIN_PASSWORD;
  if (!process.stdin.isTTY) return '';
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question('Password (shown as you type; none = one is made up): ');
  } finally {
    terminal.close();
  }
}

function readFrom(file: string): string {
  try {
    const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (password) return password;
  } catch (error) {
    throw new CommandError(`The file of the password cannot be read: ${(error as Error).message}`, { cause: error });
  }
  throw new CommandError(`The file ${file} holds no password.`);
}

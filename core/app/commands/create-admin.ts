import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { hashPassword } from '../../http/auth/password.ts';
import { withDatabase } from './with-database.ts';

/** Also the way back in for somebody who has lost the password. */
export async function createAdmin(username: string, { passwordFile }: { passwordFile?: string }): Promise<void> {
  const password = await readPassword(passwordFile);
  if (password.length < 8) throw new Error('The password needs at least 8 characters.');
  await withDatabase(async ({ db, config }) => {
    const columns = {
      password: await hashPassword(password),
      is_superuser: true,
      is_active: true,
      initial_password: false,
    };
    const [row] = await db('users')
      .insert({ username, ...columns })
      .onConflict('username')
      .merge({ ...columns, modified: db.fn.now() })
      .returning(['id', db.raw('(xmax = 0) as created')]);
    if (username === 'admin') rmSync(join(config.dataDir, 'admin-password'), { force: true });
    console.log(`Superuser ${username} (id ${row.id}) ${row.created ? 'created' : 'has a new password'}.`);
  });
}

async function readPassword(file: string | undefined): Promise<string> {
  if (file) return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  if (process.env.ADMIN_PASSWORD) return process.env.ADMIN_PASSWORD;
  if (!process.stdin.isTTY) throw new Error('No password: set ADMIN_PASSWORD, or name a file with --password-file.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question('Password (shown as you type): ');
  } finally {
    terminal.close();
  }
}

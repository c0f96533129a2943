import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

/** Which of the canaries a text holds. */
export const found = (canaries: Record<string, string>, text: string): string[] =>
  Object.keys(canaries).filter((name) => text.includes(canaries[name]!));

/** Canaries in the command line or environment of any process but this one. */
export function inProcesses(canaries: Record<string, string>): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    return ['cmdline', 'environ'].flatMap((what) =>
      found(canaries, read(`/proc/${pid}/${what}`)).map((name) => `${name} in ${what} of process ${pid}`),
    );
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // ended meanwhile, or another user's
  }
}

/** Files below a folder that hold one, those of Postgres included. */
export function inFiles(canaries: Record<string, string>, folder: string, except: readonly string[]): string[] {
  const patterns = Object.values(canaries).join('\n');
  const excluded = except.map((name) => `--exclude-dir=${name}`);
  try {
    const args = ['-r', '-l', '-a', '-F', ...excluded, '-f', '-', folder];
    return execFileSync('grep', args, { input: patterns, encoding: 'utf8' }).trim().split('\n');
  } catch (error) {
    // 1 = nothing found; 2 = a file went away meanwhile, which Postgres' do
    const { stdout, status } = error as { stdout: string; status: number };
    if (status !== 1 && status !== 2) throw error;
    return stdout.trim() === '' ? [] : stdout.trim().split('\n');
  }
}

/** Every row of every table, as text. */
export async function inDatabase(canaries: Record<string, string>, url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const hits: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query(`select t::text as row from ${name} t`);
      for (const { row } of rows) hits.push(...found(canaries, row).map((canary) => `${canary} in ${name}`));
    }
    return hits;
  } finally {
    await client.end();
  }
}

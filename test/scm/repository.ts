import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';

const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'T',
  GIT_AUTHOR_EMAIL: 't@example.org',
  GIT_COMMITTER_NAME: 'T',
  GIT_COMMITTER_EMAIL: 't@example.org',
};

/** A source as a user would keep it: a repository with a working tree, read by file:// URL. */
export class SourceRepository {
  readonly folder: string;
  readonly url: string;

  constructor(parent = temporaryFolder('source')) {
    chmodSync(parent, 0o755);
    this.folder = join(parent, 'repo');
    mkdirSync(this.folder);
    this.url = `file://${this.folder}`;
    this.git('init', '--quiet', '--initial-branch=main');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  /** @returns the new revision */
  commit(files: Record<string, string>): string {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), content);
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '-m', 'change');
    return this.git('rev-parse', 'HEAD');
  }
}

export const play = '- hosts: all\n  gather_facts: false\n  tasks:\n    - debug: {msg: hello}\n';

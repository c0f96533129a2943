import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root as checkout } from '../../core/config/config.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

interface Said {
  code: number;
  said: string;
}

/** A checkout with two packages, one of them for development only, and an npm that notes how it is called. */
export class Checkout {
  readonly root = mkdtempSync(join(tmpdir(), 'tapline-setup-'));

  readonly #manifest: object;

  constructor() {
    chmodSync(this.root, 0o755);
    cpSync(join(checkout, 'setup'), join(this.root, 'setup'), { recursive: true });
    const manifest = { name: 'x', dependencies: { served: '1.0.0' }, devDependencies: { checked: '2.0.0' } };
    this.write('package.json', manifest);
    this.#manifest = manifest;
    this.lock();
    const note = `require('node:fs').appendFileSync(${JSON.stringify(this.#path('calls'))}, process.argv.slice(2).join(' ') + '\\n')`;
    writeFileSync(this.#path('npm.cjs'), `${note}; process.exitCode = 1; console.log('no registry here');\n`);
  }

  /** `more`: packages of workspaces. */
  lock(...more: (keyof typeof packages)[]): void {
    const names = ['node_modules/served', 'node_modules/checked', ...more] as const;
    this.write('package-lock.json', {
      lockfileVersion: 3,
      packages: { '': this.#manifest, ...Object.fromEntries(names.map((name) => [name, packages[name]])) },
    });
  }

  /** As npm leaves it behind. */
  installed(...names: (keyof typeof packages)[]): void {
    mkdirSync(this.#path('node_modules'), { recursive: true });
    for (const name of names) mkdirSync(this.#path(name), { recursive: true });
    this.write('node_modules/.package-lock.json', {
      packages: Object.fromEntries(names.map((name) => [name, packages[name]])),
    });
  }

  write(file: string, content: object): void {
    writeFileSync(this.#path(file), JSON.stringify(content, null, 2));
  }

  /** How npm was called. */
  calls(): string[] {
    const file = this.#path('calls');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  }

  /** `uid`: as another user. */
  setUp(flags: string[] = [], { uid, env = {} }: { uid?: number; env?: Record<string, string> } = {}): Promise<Said> {
    const options = {
      cwd: '/',
      env: {
        PATH: process.env['PATH'],
        npm_execpath: this.#path('npm.cjs'),
        ENGINE_COMMAND: '/bin/true',
        ...env,
      } as NodeJS.ProcessEnv,
      ...(uid === undefined ? {} : { uid, gid: uid }),
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [this.#path('setup/setup.mjs'), ...flags], options, (error, out, err) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, said: out + err }),
      );
    });
  }

  remove(): void {
    removeFolder(this.root);
  }

  #path = (file: string) => join(this.root, file);
}

const packages = {
  'plugins/x/node_modules/served': { version: '0.9.0' },
  'node_modules/served': { version: '1.0.0' },
  'node_modules/checked': { version: '2.0.0', dev: true },
};

import { chmodSync, globSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../core/config/config.ts';
import { processesOf } from '../chaos/processes.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';
import { inMemory } from '../../core/testing/server.ts';

export interface Surroundings {
  /** TMPDIR of the tests: everything that they make lies there, or below the checkout */
  temporary: string;
  /** What they left behind, a line each; takes away the folders. Processes are left alone: they may be somebody's evidence. */
  leftBehind(): string[];
}

/** npm's own, what set-up and Python keep, and the SDK as its package has it, which is built when it is first needed. */
const kept =
  /^(plugin-sdk|console-kit)\/dist(\/|$)|(^|\/)(node_modules|\.git|\.tools|\.cache|__pycache__|node-compile-cache)(\/|$)/;
const filesOfCheckout = () =>
  globSync('**', { cwd: root, exclude: (path) => kept.test(path) }).filter((path) => !kept.test(path));
const foldersBeside = () => ['/opt', '/var/lib'].flatMap((folder) => globSync(`${folder}/tapline*`));

export function watchSurroundings(): Surroundings {
  // short: paths of sockets below it have an end
  const temporary = mkdtempSync(join(tmpdir(), 'tl-'));
  chmodSync(temporary, 0o1777);
  const before = new Set([...filesOfCheckout(), ...foldersBeside()]);
  return {
    temporary,
    leftBehind() {
      const files = readdirSync(temporary).filter((name) => !kept.test(name));
      const added = [...filesOfCheckout(), ...foldersBeside()].filter((path) => !before.has(path));
      const processes = processesOf(temporary).map(({ pid, command }) => `process ${pid}: ${command.slice(0, 200)}`);
      const databases = globSync(`${inMemory(temporary)}*`);
      for (const folder of [temporary, ...databases]) removeFolder(folder);
      return [...files.map((name) => join(temporary, name)), ...added, ...databases, ...processes];
    },
  };
}

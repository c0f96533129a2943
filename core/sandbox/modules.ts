import { readFileSync, readdirSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';

const folder = join(import.meta.dirname, 'isolate');

/** Everything that runs inside an isolate, as JavaScript by the name it is imported under. */
export function isolateModules(): Map<string, string> {
  const files = readdirSync(folder).filter((file) => /\.[tj]s$/.test(file));
  return new Map(
    files.map((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      return [`./${basename(file)}`, file.endsWith('.ts') ? stripTypeScriptTypes(source) : source];
    }),
  );
}

/** The parser, as one script that leaves `nunjucks` on the global object. */
export function parserScript(): string {
  const path = createRequire(import.meta.url).resolve('nunjucks/browser/nunjucks.js');
  const globals = 'globalThis.window = globalThis.self = globalThis; globalThis.setTimeout = (work) => work();';
  return `${globals}\n${readFileSync(path, 'utf8')}`;
}

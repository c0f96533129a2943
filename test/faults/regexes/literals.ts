import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { type Node, parse } from 'acorn';

/** A regular expression as it stands in the sources. */
export interface Literal {
  /** `core/runner/explain.ts:54` */
  where: string;
  regex: RegExp;
}

const root = join(import.meta.dirname, '../../..');

/** Every literal of the sources that run in the service. */
export const literals = (): Literal[] =>
  globSync('{core,plugins,plugin-sdk}/**/*.ts', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|test|web)(\/|$)/.test(path),
  })
    .toSorted()
    .flatMap((file) => literalsOf(file, readFileSync(join(root, file), 'utf8')));

function literalsOf(file: string, source: string): Literal[] {
  // types become blanks, so that lines stay what they are
  const program = parse(stripTypeScriptTypes(source), { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  const found: Literal[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, loc } = node as Node & { regex?: { pattern: string; flags: string } };
    if (type === 'Literal' && regex)
      found.push({ where: `${file}:${loc!.start.line}`, regex: new RegExp(regex.pattern, regex.flags) });
    else for (const part of Object.values(node)) walk(part);
  };
  walk(program);
  return found;
}

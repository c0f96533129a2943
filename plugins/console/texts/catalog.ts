import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { literals } from './literals.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Where texts stand: the kit, the console's own pages, and those of the plugins that come with it. */
export const sources = (): string[] =>
  ['console-kit/**/*.{ts,tsx}', 'plugins/console/web/**/*.{ts,tsx}', 'plugins/*/pages/**/*.js']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !/\/(?:dist|testing|node_modules)\/|(?:testing|build)\.ts$/.test(file))
    .toSorted();

/** Where titles and entries of the menu stand, which the service tells the console. */
const toldOf = (): string[] => globSync('plugins/*/{index,pages}.ts', { cwd: root });

/** No description, and no name of a kind of records. */
const title = /^\p{Lu}[^.:]*$/u;

export const catalogFile = join(import.meta.dirname, 'en.json');

/** Every text of the console by the folder that it stands in: whoever translates replaces what stands at the right. */
export function catalog(): Record<string, Record<string, string>> {
  const areas: Record<string, Set<string>> = {};
  for (const file of sources()) {
    const [, area = 'shell'] = /(?:^|\/web\/)((?:pages\/|plugins\/)?[\w-]+)\//.exec(file) ?? [];
    for (const { kind, text } of literals(readFileSync(join(root, file), 'utf8'), file))
      if (kind === 'said') (areas[area] ??= new Set()).add(text);
  }
  for (const file of toldOf())
    for (const { kind, text } of literals(readFileSync(join(root, file), 'utf8'), file))
      if (kind === 'value' && title.test(text)) (areas['menu'] ??= new Set()).add(text);
  return Object.fromEntries(
    Object.keys(areas)
      .toSorted()
      .map((area) => [area, Object.fromEntries([...areas[area]!].toSorted().map((text) => [text, text]))]),
  );
}

/** Texts that nobody could translate, each with its place. */
export const untold = (): string[] =>
  sources().flatMap((file) =>
    literals(readFileSync(join(root, file), 'utf8'), file)
      .filter(({ kind }) => kind !== 'said')
      .map(({ text }) => `${file}: ${text.trim()}`),
  );

export const written = (texts: ReturnType<typeof catalog>): string => `${JSON.stringify(texts, null, 2)}\n`;

if (import.meta.main) writeFileSync(catalogFile, written(catalog()));

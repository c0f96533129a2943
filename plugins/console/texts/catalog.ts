import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { literals } from './literals.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Where texts stand: the kit, and the console's own pages. */
export const sources = (): string[] =>
  ['console-kit/**/*.{ts,tsx}', 'plugins/console/web/**/*.{ts,tsx}']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !/\/(?:dist|testing|node_modules)\/|(?:testing|build)\.ts$/.test(file))
    .toSorted();

export const catalogFile = join(import.meta.dirname, 'en.json');

/** Every text of the console by the folder that it stands in: whoever translates replaces what stands at the right. */
export function catalog(): Record<string, Record<string, string>> {
  const areas: Record<string, Set<string>> = {};
  for (const file of sources()) {
    const [, area = 'shell'] = /(?:^|\/web\/)((?:pages\/)?[\w-]+)\//.exec(file) ?? [];
    for (const { kind, text } of literals(readFileSync(join(root, file), 'utf8'), file))
      if (kind === 'said') (areas[area] ??= new Set()).add(text);
  }
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

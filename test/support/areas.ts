import { existsSync, globSync, readdirSync } from 'node:fs';

const testsIn = (folders: string) =>
  [...globSync(`${folders}/**/*.test.ts`)].filter((file) => !file.includes('node_modules')).toSorted();

const foldersOf = (place: string) =>
  readdirSync(place, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** The test files that are meant by paths, by areas (folders of test/ and plugins/), or by '.': all of them. */
export function filesOf(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    if (word === '.') return testsIn('{test,plugins,plugin-sdk}');
    if (word.endsWith('.test.ts') && existsSync(word)) return [word];
    const files = /^[\w-]+$/.test(word) ? testsIn(`{test,plugins}/${word}`) : [];
    if (files.length) return files;
    const areas = [...new Set([...foldersOf('test'), ...foldersOf('plugins')])].filter(
      (area) => testsIn(`{test,plugins}/${area}`).length,
    );
    console.error(
      `There are no tests called ${word}. Name a file, or one of the areas: ${areas.toSorted().join(', ')}.`,
    );
    process.exit(2);
  });
}

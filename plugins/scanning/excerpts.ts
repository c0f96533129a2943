import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { safeText } from '@tapline/plugin-sdk';
import type { Excerpt, Finding } from './scanner.ts';
import { assertInside } from './tools/files.ts';

const around = 2;
const longestLine = 200;
const largestFile = 1_048_576;
/** As many as are kept of a result. */
const most = 1000;

/** Adds the lines that findings are about. Whatever file a tool names, only those within the checkout are read. */
export async function withExcerpts(folder: string, findings: readonly Finding[]): Promise<Finding[]> {
  const files = new Map<string, Promise<string[]>>();
  const linesOf = (file: string) => {
    const lines = files.get(file) ?? readLines(folder, file);
    files.set(file, lines);
    return lines;
  };
  return Promise.all(
    findings.map(async (finding, index) => {
      const { line, file_path: file } = finding;
      if (index >= most || line === null || line < 1 || !file) return finding;
      const excerpt = excerptOf(await linesOf(file), line);
      return excerpt ? { ...finding, excerpt } : finding;
    }),
  );
}

async function readLines(folder: string, file: string): Promise<string[]> {
  try {
    await assertInside(folder, file);
    const path = join(folder, file);
    if ((await stat(path)).size > largestFile) return [];
    return (await readFile(path, 'utf8')).split(/\r?\n/);
  } catch {
    // what it named is no file of the project
    return [];
  }
}

function excerptOf(lines: readonly string[], line: number): Excerpt | undefined {
  if (line > lines.length) return undefined;
  const first = Math.max(1, line - around);
  const shown = lines.slice(first - 1, line + around).map((text) => safeText(text, longestLine));
  return { first, lines: shown };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from './person.ts';

const readme = readFileSync(join(import.meta.dirname, '..', '..', '..', 'README.md'), 'utf8');
const section = (heading: string): string =>
  readme.split(/^(?=#{2,} )/m).find((one) => one.startsWith(`${heading}\n`)) ?? '';

/** As the README's table of what the main job takes has it: `9 clicks, 8 fields`. */
export const counted = (steps: readonly Step[]): string => {
  const clicks = steps.filter((step) => 'click' in step).length;
  return `${clicks} clicks, ${steps.length - clicks} fields`;
};

/** What the README's table says of a way to do it. */
export function promised(way: string): string {
  const row = section('### What it takes')
    .split('\n')
    .find((line) => line.startsWith(`| ${way}`));
  const [, , clicks, fields] = row?.split('|').map((cell) => cell.trim()) ?? [];
  return `${clicks} clicks, ${fields} fields`;
}

/** The first steps by clicks as the README tells them: bold is clicked, italic is typed or chosen. */
export function told(): Step[] {
  const text = section('### The first steps by clicks');
  return [...text.matchAll(/\*\*(.+?)\*\*|\*(.+?)\*/g)].map(([, click, field]) =>
    click === undefined ? { field: field! } : { click },
  );
}

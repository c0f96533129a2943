import { createHash } from 'node:crypto';
import type { PluginApi } from '@tapline/plugin-sdk';
import { ScanError, type Scanner } from './scanner.ts';
import { commandOf, scanSettings } from './settings.ts';
import { locate, type Program } from './tools/locate.ts';
import type { Work } from './works.ts';

/** One scanner asked about the files of one playbook. */
export interface Question {
  scanner: Scanner;
  work: Work;
  /** the playbook, relative to the checkout */
  entry: string;
  program: Program;
  /** digest of all that the answer depends on; undefined: of files that change without a commit nothing is kept */
  asked: string | undefined;
}

/** Another one is another reading of the same output. */
const reading = 1;

/** @throws ScanError where it cannot be asked at all */
export async function questionOf(api: PluginApi, scanner: Scanner, work: Work): Promise<Question> {
  const { source } = work;
  if (source instanceof ScanError) throw source;
  const [entry] = source.entries;
  if (entry === undefined) throw new ScanError('The launch names no playbook.');
  const program = await locate(commandOf(api, scanner.tool));
  const { advisories } = scanSettings(api);
  const of = [scanner.tool, scanner.config, source.project.id, source.state, entry, program.version, advisories];
  return { scanner, work, entry, program, asked: source.state ? digest([reading, ...of]) : undefined };
}

const digest = (told: unknown) => createHash('sha256').update(JSON.stringify(told)).digest('hex');

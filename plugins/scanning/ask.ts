import { type PluginApi, type ProgramEnd, safeText } from '@tapline/plugin-sdk';
import type { Answer, Answers } from './answers.ts';
import { withExcerpts } from './excerpts.ts';
import type { Question } from './question.ts';
import { type Finding, ScanError, type Status, type Tool } from './scanner.ts';
import { longestRawOutput, scanSettings } from './settings.ts';
import { dependencyAudit } from './tools/dependency-audit.ts';
import { iacScan } from './tools/iac-scan.ts';
import { playbookLint } from './tools/playbook-lint.ts';
import type { Command, Target, ToolAdapter } from './tools/tool.ts';
import { cutBytes } from './verdict.ts';

export const adapters: Readonly<Record<Tool, ToolAdapter>> = {
  playbook_lint: playbookLint,
  iac_scan: iacScan,
  dependency_audit: dependencyAudit,
};

/** The tool gave no answer: with how the result ends, and what it wrote. */
export class FailedScan extends ScanError {
  readonly status: Status;
  readonly raw: string;

  constructor(message: string, status: Status, raw: string) {
    super(message);
    this.status = status;
    this.raw = raw;
  }
}

/** Runs the tool. @throws ScanError where it did not look at all of it */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

/** What somebody is asking already is waited for; what comes of it is kept for the next. */
export function createAsk(api: PluginApi, answers: Answers): Ask {
  const running = new Map<string, Promise<Answer>>();
  async function anew(question: Question, signal: AbortSignal): Promise<Answer> {
    const answer = await askTool(api, question, signal);
    const { asked, scanner } = question;
    if (asked !== undefined)
      await answers
        .keep(asked, scanner.tool, answer)
        .catch((err: unknown) => api.log.warn({ err, scanner: scanner.id }, 'an answer could not be kept'));
    return answer;
  }
  return async (question, signal) => {
    const { asked } = question;
    if (asked === undefined) return anew(question, signal);
    // what fails for somebody else may have been given up by them
    const known = await running.get(asked)?.catch(() => undefined);
    if (known) return known;
    const answer = anew(question, signal);
    running.set(asked, answer);
    try {
      return await answer;
    } finally {
      if (running.get(asked) === answer) running.delete(asked);
    }
  };
}

async function askTool(api: PluginApi, question: Question, signal: AbortSignal): Promise<Answer> {
  const { scanner, entry, program, work } = question;
  const adapter = adapters[scanner.tool];
  const { folder } = await work.files();
  const target: Target = { folder, entry };
  const { advisories, timeoutMs } = scanSettings(api);
  const command = await adapter.command(target, scanner.config, advisories);
  if (!command) return { findings: [], raw: '', nothing: true };
  const end = await api.programs.run({
    argv: [program.path, ...command.args],
    folder,
    inFolder: command.inFolder ?? false,
    network: command.network ?? false,
    shown: [...program.shown, ...(command.shown ?? [])],
    env: { PATH: `${program.bin}:/usr/bin:/bin`, NO_COLOR: '1', ...command.env },
    timeoutMs,
    signal,
  });
  const findings = await withExcerpts(folder, readEnd(adapter, end, command));
  return { findings, raw: cutBytes(rawOf(end), longestRawOutput) };
}

/** A tool ends with another status than 0 when it has found something: what it wrote tells. */
function readEnd(adapter: ToolAdapter, end: ProgramEnd, command: Command): Finding[] {
  const raw = rawOf(end);
  if (end.ended === 'timeout') throw new FailedScan('The scanner took too long.', 'timeout', raw);
  if (end.ended === 'too long') throw new FailedScan('The tool wrote more than can be read.', 'error', raw);
  if (end.ended !== 'exited') throw new FailedScan('The tool could not be run, or was killed.', 'error', raw);
  try {
    const output = { code: end.code, stdout: end.stdout.toString('utf8'), stderr: end.stderr.toString('utf8') };
    return adapter.read(output, command).map((finding) => tidy(finding));
  } catch (error) {
    if (!(error instanceof ScanError)) throw error;
    const last = end.stderr.toString('utf8').trim().split('\n').at(-1)?.slice(0, 300);
    throw new FailedScan(last && end.code !== 0 ? `${error.message} ${last}` : error.message, 'error', raw);
  }
}

const tidy = (finding: Finding): Finding => ({
  ...finding,
  rule_id: safeText(finding.rule_id, 200),
  file_path: safeText(finding.file_path, 1000),
  message: safeText(finding.message, 2000),
});

const rawOf = ({ stdout, stderr }: ProgramEnd): string =>
  safeText(
    [stdout, stderr]
      .map((part) => part.toString('utf8').trim())
      .filter(Boolean)
      .join('\n'),
  );

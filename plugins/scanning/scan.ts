import type { PluginApi, ProgramEnd } from '@tapline/plugin-sdk';
import { Kept } from './kept.ts';
import { type Finding, rank, ScanError, type Scanner, type Status, severities, type Tool } from './scanner.ts';
import { commandOf, type ScanSettings } from './settings.ts';
import { dependencyAudit } from './tools/dependency-audit.ts';
import { iacScan } from './tools/iac-scan.ts';
import { locate } from './tools/locate.ts';
import { playbookLint } from './tools/playbook-lint.ts';
import type { Command, Target, ToolAdapter } from './tools/tool.ts';

const adapters: Readonly<Record<Tool, ToolAdapter>> = {
  playbook_lint: playbookLint,
  iac_scan: iacScan,
  dependency_audit: dependencyAudit,
};

/** What came of one scanner. */
export interface Scanned {
  scanner: Scanner;
  status: Status;
  duration_ms: number;
  /** those at or above the threshold, the worst first */
  findings: Finding[];
  message: string;
  raw_output: string;
}

interface Ran {
  findings: Finding[];
  raw: string;
}

export type Scan = (
  scanner: Scanner,
  target: Target,
  more: { revision: string; signal: AbortSignal },
) => Promise<Scanned>;

type Settings = () => ScanSettings;

/** What a tool said of the same files, program and configuration is not asked again. Advisories change by themselves. */
const keptMs = { playbook_lint: 86_400_000, iac_scan: 86_400_000, dependency_audit: 3_600_000 };
const mostKept = 200;

/** A tool asked about files that it was not asked about before. */
type Run = (
  scanner: Scanner,
  target: Target,
  command: Command,
  more: { revision: string; signal: AbortSignal },
) => Promise<Ran>;

function createRun(api: PluginApi, settings: Settings): Run {
  const kept = new Kept<Ran>(mostKept);
  return async (scanner, target, command, { revision, signal }) => {
    const program = await locate(commandOf(api, scanner.tool));
    const { advisories, timeoutMs } = settings();
    const told = [
      scanner.tool,
      revision,
      target.entry,
      command.file,
      command.args,
      program.path,
      program.changed,
      advisories,
    ];
    const now = api.clock.now().getTime();
    const known = revision ? kept.find(told, now) : undefined;
    if (known) return known;
    const end = await api.programs.run({
      argv: [program.path, ...command.args],
      folder: target.folder,
      inFolder: command.inFolder ?? false,
      network: command.network ?? false,
      shown: [...program.shown, ...(command.shown ?? [])],
      env: { PATH: `${program.bin}:/usr/bin:/bin`, NO_COLOR: '1', ...command.env },
      timeoutMs,
      signal,
    });
    const result = { findings: readEnd(adapters[scanner.tool], end, command), raw: rawOf(end) };
    if (revision) kept.keep(told, now + keptMs[scanner.tool], result);
    return result;
  };
}

export function createScan(api: PluginApi, settings: Settings): Scan {
  const run = createRun(api, settings);
  return async (scanner, target, more) => {
    const started = performance.now();
    const adapter = adapters[scanner.tool];
    const { advisories, rawOutputMax } = settings();
    const ended = (result: Omit<Scanned, 'scanner' | 'duration_ms'>): Scanned => ({
      ...result,
      raw_output: cutBytes(result.raw_output, rawOutputMax),
      scanner,
      duration_ms: Math.round(performance.now() - started),
    });
    try {
      const command = await adapter.command(target, scanner.config, advisories);
      if (!command) return ended({ status: 'ok', findings: [], message: adapter.nothing, raw_output: '' });
      const { findings, raw } = await run(scanner, target, command, more);
      return ended({ ...judged(scanner, findings), raw_output: raw });
    } catch (error) {
      if (!(error instanceof ScanError)) api.log.error({ err: error, scanner: scanner.id }, 'a scanner failed');
      const message = error instanceof ScanError ? error.message : 'The scanner failed; the log says why.';
      const { status, raw } = error instanceof FailedScan ? error : { status: 'error' as const, raw: '' };
      return ended({ status, findings: [], message, raw_output: raw });
    }
  };
}

class FailedScan extends ScanError {
  readonly status: Status;
  readonly raw: string;

  constructor(message: string, status: Status, raw: string) {
    super(message);
    this.status = status;
    this.raw = raw;
  }
}

/** What follows from the findings that count: those at or above the threshold which nobody accepted. */
export function judged({ severity_threshold: least, enforcement }: Scanner, all: readonly Finding[]) {
  const findings = all
    .filter(({ severity }) => rank(severity) >= rank(least))
    .toSorted((a, b) => rank(b.severity) - rank(a.severity));
  const worst = findings.find(({ accepted }) => !accepted);
  const status: Status = worst ? (enforcement === 'enforce' ? 'blocked' : 'warn') : 'ok';
  return { status, findings, message: worst?.message.slice(0, 500) ?? '' };
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

// what jsonb and text columns refuse
const clean = (text: string) => text.replaceAll('\0', '�');
const tidy = (finding: Finding): Finding => ({
  ...finding,
  rule_id: clean(finding.rule_id).slice(0, 200),
  file_path: clean(finding.file_path).slice(0, 1000),
  message: clean(finding.message).slice(0, 2000),
});

const rawOf = ({ stdout, stderr }: ProgramEnd): string =>
  clean(
    [stdout, stderr]
      .map((part) => part.toString('utf8').trim())
      .filter(Boolean)
      .join('\n'),
  );

/** No character is cut in two. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return new TextDecoder('utf-8', { fatal: false }).decode(bytes.subarray(0, most), { stream: true });
}

/** Of those that count. */
export const highest = (findings: readonly Finding[]): string =>
  severities.findLast((severity) => findings.some((one) => one.severity === severity && !one.accepted)) ?? '';

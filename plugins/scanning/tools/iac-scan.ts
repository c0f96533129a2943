import { type Finding, ScanError, type Severity } from '../scanner.ts';
import type { ConfigOf } from './config.ts';
import { assertInside, assertYaml, parseJson, within } from './files.ts';
import type { ToolAdapter } from './tool.ts';

const named: Readonly<Record<string, Severity>> = { CRITICAL: 'critical', HIGH: 'high', MEDIUM: 'medium', LOW: 'low' };

/** Without an account of its vendor the tool does not tell: that counts as medium. */
export const severityOf = (said: unknown): Severity =>
  said === null || said === undefined ? 'medium' : (named[String(said).toUpperCase()] ?? 'info');

interface Check {
  check_id?: unknown;
  check_name?: unknown;
  severity?: unknown;
  file_path?: unknown;
  repo_file_path?: unknown;
  file_line_range?: unknown;
}
interface Report {
  results?: { failed_checks?: Check[]; parsing_errors?: unknown[] };
  parsing_errors?: unknown;
  passed?: unknown;
}

export const iacScan: ToolAdapter = {
  nothing: 'No playbook.',
  async command({ folder, entry }, config) {
    await assertInside(folder, entry);
    await assertYaml(folder, entry);
    const { checks = [], skip = [] } = config as ConfigOf<'iac_scan'>;
    return {
      file: entry,
      args: [
        '-f',
        `{folder}/${entry}`,
        '--framework',
        'ansible',
        '-o',
        'json',
        '--compact',
        '--quiet',
        '--skip-download',
        ...(checks.length ? ['--check', checks.join(',')] : []),
        ...(skip.length ? ['--skip-check', skip.join(',')] : []),
      ],
    };
  },
  read({ stdout }, { file }) {
    if (!stdout.trim()) throw new ScanError(`The tool did not look at ${file}.`);
    const parsed = parseJson(stdout);
    return (Array.isArray(parsed) ? parsed : [parsed]).flatMap((report) => findingsOf(report as Report, file));
  },
};

/** An object with results, or a bare summary where none of its checks was about anything in the file. */
function findingsOf({ results, parsing_errors: unread, passed }: Report, file: string): Finding[] {
  if (!results && typeof passed !== 'number') throw new ScanError('The tool answered something else than a report.');
  if (Number(unread) > 0 || results?.parsing_errors?.length) throw new ScanError(`The tool could not read ${file}.`);
  return (results?.failed_checks ?? []).map((check) => {
    const line = Array.isArray(check.file_line_range) ? (check.file_line_range[0] as unknown) : undefined;
    return {
      rule_id: String(check.check_id),
      severity: severityOf(check.severity),
      // it names the one file that it was given, in ways that differ by where it stands
      file_path: within(String(check.file_path ?? '')).endsWith(file) ? file : within(String(check.file_path ?? file)),
      line: Number.isInteger(line) ? (line as number) : null,
      message: String(check.check_name ?? check.check_id),
    };
  });
}

import { fileURLToPath } from 'node:url';
import { ScanError, type Finding, type Severity } from '../scanner.ts';
import type { ConfigOf } from './config.ts';
import { assertInside, parseJson, within } from './files.ts';
import { ruleSeverities } from './lint-rules.ts';
import type { ToolAdapter } from './tool.ts';

const options = fileURLToPath(new URL('../options/', import.meta.url));
const optionsFile = `${options}ansible-lint.yml`;

const named: Readonly<Record<string, Severity>> = {
  very_high: 'high',
  security: 'high',
  critical: 'critical',
  high: 'high',
  med: 'medium',
  medium: 'medium',
  low: 'low',
  very_low: 'low',
  info: 'info',
  notice: 'info',
};
/** What the tool's JSON calls nearly everything by; only for rules that nobody knows. */
const issued: Readonly<Record<string, Severity>> = {
  blocker: 'high',
  critical: 'high',
  major: 'medium',
  minor: 'low',
  info: 'info',
};

/** By the tool's own list of rules: `name[play]` is of the rule `name`. */
export function severityOf(rule: string, said: string): Severity {
  const own = ruleSeverities[rule.replace(/\[.*$/, '')];
  return named[own?.toLowerCase() ?? ''] ?? named[said] ?? issued[said] ?? 'medium';
}

interface Issue {
  check_name?: unknown;
  severity?: unknown;
  description?: unknown;
  content?: { body?: unknown };
  location?: {
    path?: unknown;
    lines?: { begin?: unknown };
    positions?: { begin?: { line?: unknown } };
  };
}

export const playbookLint: ToolAdapter = {
  nothing: 'No playbook.',
  async command({ folder, entry }, config) {
    await assertInside(folder, entry);
    const { profile, skip = [], exclude = [] } = config as ConfigOf<'playbook_lint'>;
    return {
      file: entry,
      inFolder: true,
      shown: [options],
      env: { ANSIBLE_CONFIG: `${options}ansible.cfg` },
      args: [
        '--offline',
        '-f',
        'json',
        '--nocolor',
        '--strict',
        '-c',
        optionsFile,
        '--project-dir',
        '{folder}',
        ...(profile ? ['--profile', profile] : []),
        ...skip.flatMap((rule) => ['-x', rule]),
        ...exclude.flatMap((path) => ['--exclude', path]),
        '--',
        entry,
      ],
    };
  },
  read({ stdout, code }) {
    const issues = parseJson(stdout);
    if (!Array.isArray(issues)) throw new ScanError('The tool answered something else than a list.');
    if (!issues.length && code !== 0) throw new ScanError(`The tool ended with status ${code} and said nothing.`);
    return (issues as Issue[]).map(({ check_name: rule, severity, description, content, location }): Finding => {
      const line = location?.lines?.begin ?? location?.positions?.begin?.line;
      const [text, more] = [String(description ?? ''), content?.body];
      return {
        rule_id: String(rule),
        severity: severityOf(String(rule), String(severity)),
        file_path: within(String(location?.path ?? '')),
        line: Number.isInteger(line) ? (line as number) : null,
        message: typeof more === 'string' && more ? `${text} ${more}` : text,
      };
    });
  },
};

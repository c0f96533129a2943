import { type Finding, type Severity, type Tool } from './scanner.ts';
import { programs } from './settings.ts';

/** What a stored result says, as far as SARIF has a place for it. */
export interface StoredResult {
  id: number;
  /** '' where nobody knows any more */
  tool: Tool | '';
  scanner_name: string;
  status: string;
  message: string;
  revision: string;
  created: string;
  duration_ms: number;
  findings: readonly Finding[];
}

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** As code hosts read `security-severity`: over 9 is critical, over 7 high, over 4 medium. */
const scores: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.0',
};

/** Of the whole of a path each segment is escaped: a URI reference relative to the checkout. */
const uriOf = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** A log of one run in SARIF 2.1.0 (OASIS standard, sections 3.13 and 3.14). */
export function sarifOf(result: StoredResult): object {
  const { findings, tool, scanner_name: scanner, status, message, revision, created, duration_ms: took } = result;
  const rules = [...new Map(findings.map((finding) => [finding.rule_id, finding])).values()];
  const at = new Map(rules.map(({ rule_id: id }, index) => [id, index]));
  const failed = status === 'error' || status === 'timeout';
  const ended = Date.parse(created);
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: tool ? programs[tool] : scanner,
            rules: rules.map(({ rule_id: id, severity }) => ({
              id,
              defaultConfiguration: { level: levels[severity] },
              properties: { 'security-severity': scores[severity] },
            })),
          },
        },
        automationDetails: { id: `${scanner}/${result.id}` },
        invocations: [
          {
            executionSuccessful: !failed,
            startTimeUtc: new Date(ended - took).toISOString(),
            endTimeUtc: new Date(ended).toISOString(),
            ...(failed && message
              ? { toolExecutionNotifications: [{ level: 'error', message: { text: message } }] }
              : {}),
          },
        ],
        columnKind: 'utf16CodeUnits',
        properties: { revision, status },
        results: findings.map((finding) => resultOf(finding, at.get(finding.rule_id)!)),
      },
    ],
  };
}

const resultOf = ({ rule_id: id, severity, file_path: path, line, message, accepted }: Finding, ruleIndex: number) => ({
  ruleId: id,
  ruleIndex,
  level: levels[severity],
  message: { text: message || id },
  properties: { severity },
  // section 3.27.23: by somebody, outside of the file
  ...(accepted ? { suppressions: [{ kind: 'external', status: 'accepted' }] } : {}),
  ...(path
    ? {
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: uriOf(path), uriBaseId: '%SRCROOT%' },
              ...(line !== null && line > 0 ? { region: { startLine: line } } : {}),
            },
          },
        ],
      }
    : {}),
});

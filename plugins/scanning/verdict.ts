import { type Finding, rank, type Scanner, type Status, severities } from './scanner.ts';

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

/** What follows from the findings that count: those at or above the threshold which nobody accepted. */
export function judged({ severity_threshold: least, enforcement }: Scanner, all: readonly Finding[]) {
  const findings = all
    .filter(({ severity }) => rank(severity) >= rank(least))
    .toSorted((a, b) => rank(b.severity) - rank(a.severity));
  const worst = findings.find(({ accepted }) => !accepted);
  const status: Status = worst ? (enforcement === 'enforce' ? 'blocked' : 'warn') : 'ok';
  return { status, findings, message: worst?.message.slice(0, 500) ?? '' };
}

/** Of those that count. */
export const highest = (findings: readonly Finding[]): string =>
  severities.findLast((severity) => findings.some((one) => one.severity === severity && !one.accepted)) ?? '';

/** No character is cut in two. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  return new TextDecoder('utf-8', { fatal: false }).decode(bytes.subarray(0, most), { stream: true });
}

import type { Finding } from './finding.ts';

const marks = { ok: 'ok     ', warn: 'warning', fail: 'FAILED ' };

/** Each with its remedy, then the counts; exit code 1 when something does not work at all. */
export function printFindings(findings: readonly Finding[]): void {
  for (const { level, what, remedy } of findings) {
    console.log(`${marks[level]}  ${what}`);
    if (remedy && level !== 'ok') console.log(`         → ${remedy}`);
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  console.log(`${count('ok')} fine, ${count('warn')} to look at, ${count('fail')} failed`);
  if (count('fail')) process.exitCode = 1;
}

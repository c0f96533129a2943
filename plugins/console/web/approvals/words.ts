import { type Row, statusLabel, t } from '@tapline/console-kit';

const decisions: Record<string, string> = {
  pending: t`Waits for approval`,
  successful: t`Approved`,
  failed: t`Denied`,
};

/** What became of an approval, in the words of approvals. */
export function approvalWord(row: object): string {
  const { status, timed_out: late } = row as { status?: string; timed_out?: boolean };
  return late ? t`Timed out` : (decisions[String(status)] ?? statusLabel(String(status)));
}

/** `1 of 2` */
export const votesWord = (row: Row): string =>
  t`${row['approvals_received'] ?? 0} of ${row['required_approvals'] ?? 1}`;

import { t } from '../texts/t.ts';
const shown: Record<string, { label: string; tone: string }> = {
  new: { label: t`New`, tone: 'quiet' },
  never: { label: t`Never run`, tone: 'quiet' },
  'never updated': { label: t`Never updated`, tone: 'quiet' },
  pending: { label: t`Pending`, tone: 'quiet' },
  waiting: { label: t`Waiting`, tone: 'quiet' },
  running: { label: t`Running`, tone: 'live' },
  updating: { label: t`Updating`, tone: 'live' },
  successful: { label: t`Successful`, tone: 'good' },
  ok: { label: t`OK`, tone: 'good' },
  on: { label: t`On`, tone: 'good' },
  failed: { label: t`Failed`, tone: 'bad' },
  error: { label: t`Error`, tone: 'bad' },
  missing: { label: t`Missing`, tone: 'bad' },
  canceled: { label: t`Canceled`, tone: 'warn' },
  degraded: { label: t`Degraded`, tone: 'warn' },
};

/** A shape for each tone, so that nobody has to tell colours apart. */
const marks: Record<string, string> = {
  quiet: 'M4 8h8',
  live: 'M5 3.5v9l7-4.5z',
  good: 'M3.5 8.5l3 3 6-7',
  bad: 'M4 4l8 8M12 4l-8 8',
  warn: 'M8 3v6M8 12v.5',
};

export const statusLabel = (status: string): string => shown[status]?.label ?? status;

/** `label` is for what calls a status by another word, as approvals do. */
export function Status({ status, label: own }: { status: string; label?: string | undefined }) {
  const { label, tone } = shown[status] ?? { label: status, tone: 'quiet' };
  return (
    <span class={`status ${tone}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={marks[tone]} />
      </svg>
      {own ?? label}
    </span>
  );
}

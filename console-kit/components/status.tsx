const shown: Record<string, { label: string; tone: string }> = {
  new: { label: 'New', tone: 'quiet' },
  never: { label: 'Never run', tone: 'quiet' },
  'never updated': { label: 'Never updated', tone: 'quiet' },
  pending: { label: 'Pending', tone: 'quiet' },
  waiting: { label: 'Waiting', tone: 'quiet' },
  running: { label: 'Running', tone: 'live' },
  updating: { label: 'Updating', tone: 'live' },
  successful: { label: 'Successful', tone: 'good' },
  ok: { label: 'OK', tone: 'good' },
  on: { label: 'On', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  error: { label: 'Error', tone: 'bad' },
  missing: { label: 'Missing', tone: 'bad' },
  canceled: { label: 'Canceled', tone: 'warn' },
  degraded: { label: 'Degraded', tone: 'warn' },
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

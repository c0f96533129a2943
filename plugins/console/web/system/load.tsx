import { t, type Row } from '@tapline/console-kit';

const fullPercent = 90;

/** How much of what it can carry it carries now. */
export function Load({ row }: { row: Row }) {
  const [capacity, consumed] = [Number(row['capacity']), Number(row['consumed_capacity'])];
  if (!capacity) return <span class="muted">{t`No capacity`}</span>;
  const percent = Math.round((consumed / capacity) * 100);
  return (
    <span class="load">
      <svg
        class={`bar ${percent >= fullPercent ? 'bad' : ''}`}
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <rect width={Math.min(100, percent)} height="10" />
      </svg>
      {t`${percent} % of ${capacity}`}
    </span>
  );
}

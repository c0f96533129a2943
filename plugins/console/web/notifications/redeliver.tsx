import { ActButton, type Row, t } from '@tapline/console-kit';

/** Sends a delivery once more, to where its template leads by now. */
export function Redeliver({ row, onDone }: { row: Row; onDone: () => Promise<void> }) {
  if (row['status'] === 'pending') return null;
  return (
    <ActButton
      label={t`Deliver again`}
      what={t`delivery ${row.id}`}
      path={`notifications/${row.id}/redeliver/`}
      done={t`It is sent once more.`}
      onDone={onDone}
    />
  );
}

import { ActButton, type Row } from '@tapline/console-kit';

/** Sends a delivery once more, to where its template leads by now. */
export function Redeliver({ row, onDone }: { row: Row; onDone: () => Promise<void> }) {
  if (row['status'] === 'pending') return null;
  return (
    <ActButton
      label="Deliver again"
      what={`delivery ${row.id}`}
      path={`notifications/${row.id}/redeliver/`}
      done="It is sent once more."
      onDone={onDone}
    />
  );
}

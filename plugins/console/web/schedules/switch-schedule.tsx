import { useSignal } from '@preact/signals';
import { ApiFailure, may, request, type Row, toast } from '@tapline/console-kit';

/** Switches a schedule off or on where it stands, in a list as on its page. */
export function SwitchSchedule({ row, onDone }: { row: Row; onDone?: () => Promise<void> }) {
  const changed = useSignal<boolean | null>(null);
  const sending = useSignal(false);
  if (!may(row, 'edit')) return null;
  const enabled = changed.value ?? row['enabled'] === true;
  const turn = async () => {
    if (sending.value) return;
    sending.value = true;
    try {
      const body = { enabled: !enabled };
      const next = await request<Row>('PATCH', `schedules/${row.id}/`, { body });
      changed.value = next['enabled'] === true;
      toast(`${row['name']} is switched ${changed.value ? 'on' : 'off'}.`, 'good');
      await onDone?.();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      toast(`${row['name']}: ${error.message}`, 'bad');
    } finally {
      sending.value = false;
    }
  };
  return (
    <button type="button" aria-disabled={sending.value} onClick={() => void turn()}>
      Switch {enabled ? 'off' : 'on'}
      <span class="visually-hidden"> {row['name']}</span>
    </button>
  );
}

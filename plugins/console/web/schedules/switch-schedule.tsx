import { useSignal } from '@preact/signals';
import { ApiFailure, may, request, type Row, toast, t } from '@tapline/console-kit';

/** Switches a schedule off or on where it stands, in a list as on its page. */
export function SwitchSchedule({ row, onDone }: { row: Row; onDone?: () => Promise<void> }) {
  const changed = useSignal<boolean | null>(null);
  const sending = useSignal(false);
  if (!may(row, 'edit')) return null;
  const isOn = () => changed.value ?? row['enabled'] === true;
  const turn = async () => {
    if (sending.value) return;
    sending.value = true;
    try {
      const body = { enabled: !isOn() };
      const next = await request<Row>('PATCH', `schedules/${row.id}/`, { body });
      changed.value = next['enabled'] === true;
      const name = String(row['name']);
      toast(changed.value ? t`${name} is switched on.` : t`${name} is switched off.`, 'good', turn);
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
      {isOn() ? t`Switch off` : t`Switch on`}
      <span class="visually-hidden"> {row['name']}</span>
    </button>
  );
}

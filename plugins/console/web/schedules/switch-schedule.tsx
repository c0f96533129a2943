import { useSignal } from '@preact/signals';
import { attempt, may, request, type Row, t } from '@tapline/console-kit';

/** Switches a schedule off or on where it stands, in a list as on its page; `reload` reads what it stands in. */
export function SwitchSchedule({ row, reload }: { row: Row; reload: () => Promise<void> }) {
  const sending = useSignal(false);
  if (!may(row, 'edit')) return null;
  const name = String(row['name']);
  const isOn = row['enabled'] === true;
  const turn = async (enabled: boolean) => {
    if (sending.value) return;
    sending.value = true;
    const said = enabled ? t`${name} is switched on.` : t`${name} is switched off.`;
    const undo = () => turn(!enabled);
    const act = () => request('PATCH', `schedules/${row.id}/`, { body: { enabled } });
    const done = await attempt(act, { said, whose: name, undo });
    // from here on it can be taken back
    sending.value = false;
    if (done) await reload();
  };
  return (
    <button type="button" aria-disabled={sending.value} onClick={() => void turn(!isOn)}>
      {isOn ? t`Switch off` : t`Switch on`}
      <span class="visually-hidden"> {name}</span>
    </button>
  );
}

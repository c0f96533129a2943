import { TextField, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';

/** As the clock on the wall of whoever looks has it. */
function onTheWall(iso) {
  const at = new Date(iso);
  const minutes = at.getTime() - at.getTimezoneOffset() * 60_000;
  return new Date(minutes).toISOString().slice(0, 16);
}

export function Expires({ value, onValue, errors }) {
  const typed = useSignal(typeof value === 'string' && value ? onTheWall(value) : '');
  const set = (text) => {
    typed.value = text;
    onValue(text ? new Date(text).toISOString() : null);
  };
  return h(TextField, {
    label: t`Expires`,
    name: 'expires',
    type: 'datetime-local',
    required: true,
    hint: t`From then on it does not count.`,
    errors: errors['expires'],
    value: typed.value,
    onValue: set,
  });
}

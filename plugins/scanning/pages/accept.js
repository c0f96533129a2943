import { attempt, post, TextField, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';

/** What is there today counts no more; what comes new does. */
export function Accept({ row, chosen, reload }) {
  const reason = useSignal('');
  const some = chosen.value.size;
  const send = async (event) => {
    event.preventDefault();
    const body = { reason: reason.value, ...(some ? { findings: [...chosen.value] } : {}) };
    const accept = () => post(`scan_results/${row.id}/accept/`, body);
    const done = await attempt(accept, {
      said: t`From the next launch on they count no more.`,
      whose: row.scanner_name,
    });
    if (!done) return;
    [reason.value, chosen.value] = ['', new Set()];
    await reload();
  };
  return h(
    'form',
    { class: 'card', 'aria-label': t`Accept findings`, onSubmit: (event) => void send(event) },
    h(TextField, {
      label: t`Why they are accepted`,
      name: 'reason',
      required: true,
      value: reason.value,
      onValue: (text) => void (reason.value = text),
    }),
    h('button', { class: 'primary' }, some ? t`Accept the ${some} chosen` : t`Accept all ${row.finding_count}`),
  );
}

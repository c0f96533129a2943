import { request } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';

/** Changes the record whose page it stands on. */
export function Racked({ record, reload }) {
  const mark = () => request('PATCH', `hosts/${record.id}/`, { body: { description: 'Marked.' } }).then(reload);
  return h(
    'div',
    null,
    h('p', null, `${record.name} stands in ${record.rack || 'no rack'}`),
    h('button', { type: 'button', onClick: mark }, 'Mark it'),
  );
}

/** Fails when somebody pushes it. */
export function Shaky() {
  const pushed = useSignal(false);
  if (pushed.value) throw new Error('It fell over.');
  return h('button', { type: 'button', onClick: () => void (pushed.value = true) }, 'Push it');
}

export const Silent = () => null;

export const Decisions = ({ record }) => h('p', null, `Run ${record.id} was allowed.`);

document.body.dataset.panels = 'loaded';

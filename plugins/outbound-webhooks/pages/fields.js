import { ChoicesField, TextField, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';

const events = [
  'job.started',
  'job.succeeded',
  'job.failed',
  'job.canceled',
  'workflow.started',
  'workflow.succeeded',
  'workflow.failed',
].map((value) => ({ value, label: value }));

/** What is told. */
export const EventsField = ({ value, onValue, errors }) =>
  h(ChoicesField, {
    label: t`Events`,
    name: 'events',
    choices: events,
    values: Array.isArray(value) ? value : [],
    onValues: onValue,
    errors: errors['events'],
  });

/**
 * Headers by name; a value that is stored is shown as its mask, which stands for it when it is sent back. The rows are kept
 * here as they are typed: half of a name may be that of another header.
 */
export function HeadersField({ value, onValue, errors }) {
  const typed = useSignal([]);
  const isTyped = JSON.stringify(Object.fromEntries(typed.value)) === JSON.stringify(value ?? {});
  const rows = isTyped ? typed.value : Object.entries(value ?? {});
  const change = (changed) => {
    typed.value = changed;
    onValue(Object.fromEntries(changed));
  };
  const become = (index, entry) => change(rows.map((old, at) => (at === index ? entry : old)).filter(Boolean));
  const names = rows.map(([name]) => name.toLowerCase());
  const twice = rows.find(([name], index) => name && names.indexOf(name.toLowerCase()) < index);
  const problems = [
    ...(errors['custom_headers'] ?? []),
    ...(twice ? [t`${twice[0]} is there twice: only one of them is stored.`] : []),
  ];
  return h(
    'fieldset',
    { class: problems.length ? 'field invalid' : 'field' },
    h('legend', null, t`Custom headers`),
    h('p', { class: 'hint' }, t`Their values are stored encrypted.`),
    rows.map(([name, text], index) =>
      h(
        'div',
        { class: 'card', key: index, role: 'group', 'aria-label': t`Header ${index + 1}` },
        h(TextField, {
          label: t`Name of the header`,
          name: `header.${index}.name`,
          required: true,
          value: name,
          onValue: (written) => become(index, [written, text]),
        }),
        h(TextField, {
          label: t`Value`,
          name: `header.${index}.value`,
          value: text,
          onValue: (written) => become(index, [name, written]),
        }),
        h('button', { type: 'button', onClick: () => become(index, null) }, t`Remove header ${index + 1}`),
      ),
    ),
    h('button', { type: 'button', onClick: () => change([...rows, ['', '']]) }, t`Add header`),
    problems.length > 0 && h('p', { class: 'error' }, problems.join(' ')),
  );
}

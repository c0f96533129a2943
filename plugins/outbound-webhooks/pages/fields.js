import { ChoicesField, RowsField, TextField, t } from '@tapline/console-kit';
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
  const names = rows.map(([name]) => name.toLowerCase());
  const twice = rows.find(([name], index) => name && names.indexOf(name.toLowerCase()) < index);
  const problems = [
    ...(errors['custom_headers'] ?? []),
    ...(twice ? [t`${twice[0]} is there twice: only one of them is stored.`] : []),
  ];
  return h(RowsField, {
    label: t`Custom headers`,
    one: t`header`,
    hint: t`Their values are stored encrypted.`,
    errors: problems,
    rows: rows.map(([name, text]) => ({ name, text })),
    onRows: (changed) => change(changed.map(({ name, text }) => [name, text])),
    fresh: () => ({ name: '', text: '' }),
    row: ({ name, text }, index, become) => [
      h(TextField, {
        label: t`Name of the header`,
        name: `header.${index}.name`,
        required: true,
        value: name,
        onValue: (written) => become({ name: written }),
      }),
      h(TextField, {
        label: t`Value`,
        name: `header.${index}.value`,
        value: text,
        onValue: (written) => become({ text: written }),
      }),
    ],
  });
}

import { ChoicesField, TextField, t } from '@tapline/console-kit';
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

/** Headers by name; a value that is stored is shown as its mask, which stands for it when it is sent back. */
export function HeadersField({ value, onValue, errors }) {
  const rows = Object.entries(value ?? {});
  const become = (index, entry) =>
    onValue(Object.fromEntries(rows.map((old, at) => (at === index ? entry : old)).filter(Boolean)));
  const problems = errors['custom_headers'] ?? [];
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
          onValue: (typed) => become(index, [typed, text]),
        }),
        h(TextField, {
          label: t`Value`,
          name: `header.${index}.value`,
          value: text,
          onValue: (typed) => become(index, [name, typed]),
        }),
        h('button', { type: 'button', onClick: () => become(index, null) }, t`Remove header ${index + 1}`),
      ),
    ),
    h('button', { type: 'button', onClick: () => onValue({ ...value, '': '' }) }, t`Add header`),
    problems.length > 0 && h('p', { class: 'error' }, problems.join(' ')),
  );
}

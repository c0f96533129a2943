import { describedBy, FieldNotes, SelectField, t, TextField } from '@tapline/console-kit';
import { h } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { beginOf, firstWindow, repeatOf, repeats, withBegin, withRepeat } from './window-rule.js';

const most = 20;

/** The windows of a calendar: each by its beginning and how often it comes, or by the text of its rule. */
export function WindowsField({ value, onValue, errors }) {
  const id = useId();
  // nothing yet is no list
  const windows = Array.isArray(value) ? value : [];
  const problems = errors['windows'] ?? [];
  // none has no windows but one that is about to be made
  useEffect(() => void (windows.length || onValue([firstWindow(new Date())])), []);
  const change = (index, part) => onValue(windows.map((old, at) => (at === index ? { ...old, ...part } : old)));
  return h(
    'fieldset',
    {
      class: problems.length ? 'field invalid' : 'field',
      'aria-invalid': problems.length ? 'true' : undefined,
      'aria-describedby': describedBy({ id, errors: problems }),
      tabIndex: problems.length ? -1 : undefined,
    },
    h('legend', null, t`Windows`),
    windows.map((window, index) =>
      h(
        'div',
        { class: 'card', key: index, role: 'group', 'aria-label': t`Window ${index + 1}` },
        h(WindowFields, { window, name: `windows.${index}`, onChange: (part) => change(index, part) }),
        h(
          'button',
          { type: 'button', onClick: () => onValue(windows.filter((_, at) => at !== index)) },
          t`Remove window ${index + 1}`,
        ),
      ),
    ),
    windows.length < most &&
      h('button', { type: 'button', onClick: () => onValue([...windows, firstWindow(new Date())]) }, t`Add a window`),
    h(FieldNotes, { id, errors: problems }),
  );
}

/** What stands in the rule is told by the first two, as far as they have words for it; whatever is chosen is written there. */
const WindowFields = ({ window: { rrule, duration }, name, onChange }) => [
  h(TextField, {
    label: t`Begins`,
    name: `${name}.begins`,
    type: 'datetime-local',
    preset: true,
    value: beginOf(rrule),
    onValue: (begins) => begins && onChange({ rrule: withBegin(rrule, begins) }),
  }),
  h(SelectField, {
    label: t`Repeats`,
    name: `${name}.repeats`,
    preset: true,
    choices: repeats,
    empty: t`as the rule says`,
    value: repeatOf(rrule),
    onValue: (repeat) => repeat && onChange({ rrule: withRepeat(rrule, repeat, new Date()) }),
  }),
  h(TextField, {
    label: t`Rule`,
    name: `${name}.rrule`,
    required: true,
    code: true,
    lines: 2,
    hint: t`As schedules have it; a DTSTART without a zone is of the calendar’s.`,
    value: rrule,
    onValue: (text) => onChange({ rrule: text }),
  }),
  h(TextField, {
    label: t`Lasts`,
    name: `${name}.duration`,
    required: true,
    code: true,
    hint: t`PT8H: eight hours; P2D: two days.`,
    value: duration,
    onValue: (text) => onChange({ duration: text }),
  }),
];

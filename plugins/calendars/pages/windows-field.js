import { RowsField, SelectField, t, TextField } from '@tapline/console-kit';
import { h } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { beginOf, firstWindow, repeatOf, repeats, withBegin, withRepeat } from './window-rule.js';

const most = 20;

/** The windows of a calendar: each by its beginning and how often it comes, or by the text of its rule. */
export function WindowsField({ value, onValue, errors }) {
  // nothing yet is no list
  const windows = Array.isArray(value) ? value : [];
  // none has no windows but one that is about to be made
  useLayoutEffect(() => void (windows.length || onValue([firstWindow(new Date())])), []);
  return h(RowsField, {
    label: t`Windows`,
    one: t`window`,
    errors: errors['windows'],
    rows: windows,
    onRows: onValue,
    fresh: () => firstWindow(new Date()),
    most,
    row: (window, index, change) => h(WindowFields, { window, name: `windows.${index}`, onChange: change }),
  });
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

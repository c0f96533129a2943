import { element, t } from '@tapline/console-kit';
import { button, field, select } from './dom.js';

const repeats = [
  ['', t`Once`],
  ['FREQ=DAILY;INTERVAL=1', t`Every day`],
  ['FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR', t`Every working day`],
  ['FREQ=WEEKLY;INTERVAL=1', t`Every week`],
  ['FREQ=MONTHLY;INTERVAL=1', t`Every month`],
  ['FREQ=YEARLY;INTERVAL=1', t`Every year`],
];
const once = 'FREQ=DAILY;INTERVAL=1;COUNT=1';
const most = 20;

const two = (number) => String(number).padStart(2, '0');

/** Tonight at ten, by the clock of who looks at it. */
function tonight() {
  const day = new Date();
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}T22:00`;
}

/** A rule without a zone, which is of the calendar's then. */
const ruleOf = (begins, repeat) => `DTSTART:${begins.replaceAll(/[-:]/g, '')}00 RRULE:${repeat || once}`;

/** The windows of a calendar: each by its beginning, or by the text of its rule. */
export function windowsField(windows) {
  const rows = element('div');
  const error = element('p', { class: 'error', role: 'alert', hidden: true });
  const add = (window) => {
    const row = windowRow(window, () => {
      row.remove();
      name();
      more.focus();
    });
    rows.append(row);
    name();
    return row;
  };
  const more = button(t`Add a window`, () => add().querySelector('input').focus());
  const name = () => {
    for (const [index, row] of [...rows.children].entries()) row.firstChild.textContent = t`Window ${index + 1}`;
    more.disabled = rows.children.length >= most;
  };
  for (const window of windows.length ? windows : [undefined]) add(window);
  return {
    part: element('div', { class: 'field' }, rows, error, element('p', {}, more)),
    value: () => [...rows.children].map((row) => row.window()),
    say(text) {
      error.textContent = text;
      error.hidden = !text;
    },
  };
}

function windowRow(window, remove) {
  const begins = element('input', { type: 'datetime-local', value: tonight() });
  const repeat = select(repeats, repeats[1][0]);
  const rule = element('input', {
    type: 'text',
    class: 'code',
    required: true,
    spellcheck: 'false',
    autocomplete: 'off',
  });
  const lasts = element('input', { type: 'text', class: 'code', required: true, autocomplete: 'off' });
  const compose = () => begins.value && (rule.value = ruleOf(begins.value, repeat.value));
  begins.addEventListener('input', compose);
  repeat.addEventListener('change', compose);
  if (window) rule.value = window.rrule;
  else compose();
  lasts.value = window?.duration ?? 'PT8H';
  const row = element(
    'fieldset',
    { class: 'inputs' },
    element('legend', {}, t`Window`),
    // a rule that is there already is changed as text
    window ? '' : [field(t`Begins`, begins), field(t`Repeats`, repeat)],
    field(t`Rule`, rule, { hint: t`As schedules have it; a DTSTART without a zone is of the calendar’s.` }),
    field(t`Lasts`, lasts, { hint: t`PT8H: eight hours; P2D: two days.` }),
    button(t`Remove this window`, remove),
  );
  row.window = () => ({ rrule: rule.value.trim(), duration: lasts.value.trim() });
  return row;
}

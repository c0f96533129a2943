import { element } from '@tapline/console-kit';

let made = 0;

/** A control with its label, hint and place for errors, as the console's own forms have them. */
export function field(label, control, { hint, name } = {}) {
  const id = `calendar-${++made}`;
  control.id = id;
  const described = [hint && `${id}-hint`, `${id}-error`].filter(Boolean).join(' ');
  control.setAttribute('aria-describedby', described);
  const error = element('p', { class: 'error', id: `${id}-error`, hidden: true });
  const whole = element(
    'div',
    { class: 'field', 'data-field': name },
    element('label', { for: id }, label),
    control,
    hint && element('p', { class: 'hint', id: `${id}-hint` }, hint),
    error,
  );
  whole.say = (text) => {
    error.textContent = text;
    error.hidden = !text;
    whole.classList.toggle('invalid', Boolean(text));
    if (text) control.setAttribute('aria-invalid', 'true');
    else control.removeAttribute('aria-invalid');
  };
  return whole;
}

export const select = (choices, value, attributes = {}) =>
  element(
    'select',
    attributes,
    choices.map(([key, label]) =>
      element('option', { value: String(key), selected: String(key) === String(value) }, label),
    ),
  );

export const button = (label, click, attributes = {}) =>
  element('button', { type: 'button', click, ...attributes }, label);

/** Says what went wrong, where the page has no field for it. */
export const failure = ({ message }) => element('p', { class: 'error', role: 'alert' }, message);

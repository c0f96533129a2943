import { RowsField, TextField, place, t } from '@tapline/console-kit';
import { Fragment, h } from 'preact';
import { rowsOf } from './rows-of.js';
import { Trial } from './trial.js';

/** The conditions of a rule, and what they say of a sample and of the latest events. */
export function ConditionsField({ value, onValue, errors, values }) {
  const rows = rowsOf(value);
  const [, rule] = /^\/event_rules\/(\d+)\/edit$/.exec(place.value.path) ?? [];
  return h(
    Fragment,
    null,
    h(RowsField, {
      label: t`Conditions`,
      one: t`condition`,
      hint: t`Expressions over event, the payload, and headers. All must hold; without any, every event does.`,
      rows,
      fresh: () => ({ jinja2_expression: '', description: '' }),
      errors: errors['conditions'],
      onRows: onValue,
      row: ({ jinja2_expression: expression, description }, index, change) => [
        h(TextField, {
          label: t`Expression`,
          name: `conditions.${index}.jinja2_expression`,
          hint: 'event.ref == "refs/heads/main"',
          required: true,
          value: expression,
          onValue: (text) => change({ jinja2_expression: text }),
        }),
        h(TextField, {
          label: t`Description of the condition`,
          name: `conditions.${index}.description`,
          value: description ?? '',
          onValue: (text) => change({ description: text }),
        }),
      ],
    }),
    h(Try, { rule, conditions: rows, values }),
  );
}

/** Of a rule that is not made yet it is known once it is said where it belongs and who sends. */
function Try({ rule, conditions, values: { organization, source_type: source } }) {
  if (rule) return h(Trial, { at: `event_rules/${rule}/`, conditions });
  if (!organization || !source)
    return h('p', { class: 'hint' }, t`Choose an organization and a source type to try the conditions.`);
  const more = { organization: Number(organization), source_type: source };
  return h(Trial, { at: 'event_rules/', more, conditions });
}

import { TextField, place, t } from '@tapline/console-kit';
import { Fragment, h } from 'preact';
import { RowsField, rowsOf } from './rows-field.js';
import { Trial } from './trial.js';

/** The conditions of a rule; beside those of one that is there already, what they say of a sample. */
export function ConditionsField({ value, onValue, errors }) {
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
      fresh: { jinja2_expression: '', description: '' },
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
    rule && h(Trial, { rule, conditions: rows }),
  );
}

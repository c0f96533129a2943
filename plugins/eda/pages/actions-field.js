import { CodeField, RelationPicker, RowsField, SelectField, TextField, t } from '@tapline/console-kit';
import { h } from 'preact';
import { rowsOf } from './rows-of.js';

const kinds = {
  launch_job_template: { label: t`Launch a job template`, list: 'job_templates/', target: t`Job template` },
  launch_workflow: { label: t`Launch a workflow`, list: 'workflow_job_templates/', target: t`Workflow` },
  send_notification: {
    label: t`Send a notification`,
    list: 'notification_templates/',
    target: t`Notification template`,
  },
};
const choices = Object.entries(kinds).map(([value, { label }]) => ({ value, label }));

/** What a rule does, in this order. */
export function ActionsField({ value, onValue, errors }) {
  return h(RowsField, {
    label: t`Actions`,
    one: t`action`,
    hint: t`Done in this order, with the rights of whoever wrote them last.`,
    rows: rowsOf(value),
    fresh: () => ({ action_type: 'launch_job_template', target_id: null, extra_vars: {}, description: '' }),
    errors: errors['actions'],
    onRows: onValue,
    row: action,
  });
}

function action({ action_type: type, target_id: target, extra_vars: variables, description }, index, change) {
  const { list, target: label } = kinds[type] ?? kinds.launch_job_template;
  return [
    h(SelectField, {
      label: t`Kind of action`,
      name: `actions.${index}.action_type`,
      required: true,
      choices,
      value: type,
      // what it names is of another kind
      onValue: (chosen) => change({ action_type: chosen, target_id: null }),
    }),
    h(RelationPicker, {
      key: type,
      label,
      name: `actions.${index}.target_id`,
      required: true,
      list,
      value: target ? String(target) : '',
      onValue: (id) => change({ target_id: id === '' ? null : Number(id) }),
    }),
    type !== 'send_notification' &&
      h(CodeField, {
        label: t`Extra variables`,
        name: `actions.${index}.extra_vars`,
        hint: t`JSON; the event comes as svc_eda_payload by itself.`,
        language: 'json',
        value: typeof variables === 'string' ? variables : JSON.stringify(variables ?? {}, null, 2),
        onValue: (text) => change({ extra_vars: readOr(text) }),
      }),
    h(TextField, {
      label: t`Description of the action`,
      name: `actions.${index}.description`,
      value: description ?? '',
      onValue: (text) => change({ description: text }),
    }),
  ];
}

/** A text that is no JSON yet stays one, and the service says what is wrong with it. */
function readOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

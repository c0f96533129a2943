import { ActButton, may } from '@tapline/console-kit';
import { h } from 'preact';

/** The switch, for whoever manages the rule. */
export function RuleActions({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? ['Disable', 'disable', 'It tells nobody any more.']
    : ['Enable', 'enable', 'It is on.'];
  return h(ActButton, { label, what: row.name, path: `drift_alert_rules/${row.id}/${action}/`, done, onDone: reload });
}

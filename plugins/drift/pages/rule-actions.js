import { ActButton, may, t } from '@tapline/console-kit';
import { h } from 'preact';

/** The switch, for whoever manages the rule. */
export function RuleActions({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? [t`Disable`, 'disable', t`It tells nobody any more.`]
    : [t`Enable`, 'enable', t`It is on.`];
  return h(ActButton, { label, what: row.name, path: `drift_alert_rules/${row.id}/${action}/`, done, onDone: reload });
}

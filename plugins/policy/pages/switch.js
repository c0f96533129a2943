import { ActButton, may, t } from '@tapline/console-kit';
import { h } from 'preact';

/** On and off, for whoever administers the policy. */
export function Switch({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? [t`Disable`, 'disable', t`It is asked no more.`]
    : [t`Enable`, 'enable', t`It is asked about launches.`];
  return h(ActButton, { label, what: row.name, path: `policies/${row.id}/${action}/`, done, onDone: reload });
}

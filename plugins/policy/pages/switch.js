import { ActButton, may } from '@tapline/console-kit';
import { h } from 'preact';

/** On and off, for whoever administers the policy. */
export function Switch({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? ['Disable', 'disable', 'It is asked no more.']
    : ['Enable', 'enable', 'It is asked about launches.'];
  return h(ActButton, { label, what: row.name, path: `policies/${row.id}/${action}/`, done, onDone: reload });
}

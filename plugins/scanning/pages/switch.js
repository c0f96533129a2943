import { ActButton, may } from '@tapline/console-kit';
import { h } from 'preact';

/** On and off, for whoever administers the scanner. */
export function Switch({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? ['Disable', 'disable', 'It scans no more.']
    : ['Enable', 'enable', 'It scans launches.'];
  return h(ActButton, { label, what: row.name, path: `scanners/${row.id}/${action}/`, done, onDone: reload });
}

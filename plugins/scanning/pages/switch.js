import { ActButton, may, t } from '@tapline/console-kit';
import { h } from 'preact';

/** On and off, for whoever administers the scanner. */
export function Switch({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? [t`Disable`, 'disable', t`It scans no more.`]
    : [t`Enable`, 'enable', t`It scans launches.`];
  return h(ActButton, { label, what: row.name, path: `scanners/${row.id}/${action}/`, done, onDone: reload });
}

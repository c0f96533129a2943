import { addressWith, CheckField, go, place, post, shown, useRead, t } from '@tapline/console-kit';
import { h } from 'preact';
import { useCallback } from 'preact/hooks';
import { Differences } from './differences.js';
import { Frame } from './frame.js';
import { Side } from './side.js';

/** Two snapshots side by side, of one host or of two: `/drift/compare?a=1&b=2`. */
export function ComparePage() {
  const { path, query } = place.value;
  const [a, b] = [query.get('a') ?? '', query.get('b') ?? ''];
  const all = query.get('include_volatile') === 'true';
  const to = (changes) => go(addressWith(path, query, changes), { replace: true });
  return h(
    Frame,
    { title: t`Compare snapshots`, intro: t`What differs between two states of facts, of one host or of two.` },
    h(
      'div',
      { class: 'charts' },
      h(Side, { label: t`First`, value: a, onValue: (id) => to({ a: id }) }),
      h(Side, { label: t`Second`, value: b, onValue: (id) => to({ b: id }) }),
    ),
    h(CheckField, {
      label: t`Also facts that change by themselves`,
      name: 'include_volatile',
      checked: all,
      onValue: (on) => to({ include_volatile: on ? 'true' : null }),
    }),
    a && b
      ? h(Compared, { a: Number(a), b: Number(b), all })
      : h('p', { class: 'empty' }, t`Choose two snapshots: of the same host, or of a host that is as it should be.`),
  );
}

function Compared({ a, b, all }) {
  const read = useCallback(
    () => post('drift_detections/compare/', { snapshot_a: a, snapshot_b: b, include_volatile: all }),
    [a, b, all],
  );
  return shown(useRead(read), { what: t`comparison`, loading: t`comparison` }, (found) =>
    h(Differences, { of: found }),
  );
}

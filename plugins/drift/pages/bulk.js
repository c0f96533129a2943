import { attempt, Dialog, may, post, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { changesText } from './words.js';

/** A box for each change that the caller may acknowledge; `offered` becomes true with the first of them. */
export const selectColumn = (ids, offered) => ({
  label: t`Select`,
  narrow: true,
  cell: (row) => !row.acknowledged && may(row, 'acknowledge') && h(Box, { row, ids, offered }),
});

function Box({ row: { id, summary }, ids, offered }) {
  useEffect(() => void (offered.value = true), []);
  return h('input', {
    type: 'checkbox',
    'aria-label': t`Select ${summary}`,
    checked: ids.value.has(id),
    onChange: ({ currentTarget: { checked } }) => {
      const next = new Set(ids.value);
      if (checked) next.add(id);
      else next.delete(id);
      ids.value = next;
    },
  });
}

/** Acknowledges those that are selected, or all that the filters leave; of many it asks first. */
export function Bulk({ summary: { unacknowledged, newest }, narrowing, ids, onDone }) {
  const asked = useSignal(null);
  const chosen = [...ids.value];
  const ask = (what) => () => void (asked.value = what);
  return h(
    'div',
    { class: 'bulk', role: 'group', 'aria-label': t`Selected changes` },
    h('span', { class: 'muted' }, chosen.length ? t`${chosen.length} selected` : t`None selected`),
    h(
      'button',
      { type: 'button', disabled: !chosen.length, onClick: ask({ ids: chosen, count: chosen.length }) },
      t`Acknowledge those selected`,
    ),
    h(
      'button',
      { type: 'button', disabled: !unacknowledged, onClick: ask({ count: unacknowledged, newest }) },
      t`Acknowledge all ${unacknowledged.toLocaleString('en')}`,
    ),
    asked.value &&
      h(Confirm, {
        ...asked.value,
        narrowing,
        onClose: () => void (asked.value = null),
        onDone: () => {
          ids.value = new Set();
          onDone();
        },
      }),
  );
}

/** What drifts while it is asked is not meant: `newest` is what was seen. */
function Confirm({ ids, count, newest, narrowing, onClose, onDone }) {
  const acknowledge = async () => {
    const path = ids ? 'drift_detections/acknowledge/' : `drift_detections/acknowledge/?${narrowing}`;
    const went = await attempt(() => post(path, ids ? { ids } : { all: true, up_to: newest, count }), {
      said: t`${changesText(count)} acknowledged.`,
    });
    onClose();
    if (went) onDone();
  };
  return h(
    Dialog,
    { title: t`Acknowledge ${changesText(count)}?`, onClose },
    h('p', null, t`It is noted that you have looked at them; rules and alerts do not change by it.`),
    narrowing && !ids && h('p', { class: 'muted' }, t`Only what the filters of the list leave is meant.`),
    h(
      'div',
      { class: 'form-actions' },
      h('button', { type: 'button', class: 'primary', onClick: () => void acknowledge() }, t`Acknowledge`),
      h('button', { type: 'button', onClick: onClose }, t`Cancel`),
    ),
  );
}

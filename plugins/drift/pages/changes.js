import { ListView, onGroup, place, readQuery, useOptions, useQuery, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { Bulk, selectColumn } from './bulk.js';
import { Breakdown } from './breakdown.js';
import { Frame } from './frame.js';
import { change } from './resources.js';

/** Hosts drift many at once; the list is read again once for all. */
const pauseMs = 500;

/** What changed on hosts, as the address narrows it; read again when a host drifts. */
export function ChangesPage() {
  const options = useOptions('drift_detections/');
  const turn = useSignal(0);
  const ids = useSignal(new Set());
  const offered = useSignal(false);
  const narrowing = narrowingOf(place.value.query);
  const { data: summary, reload } = useQuery(`drift_detections/summary/?${narrowing}`);
  const again = () => void (turn.value += 1);
  useEffect(() => void (turn.value > 0 && reload()), [turn.value]);
  useDrifting(again);
  useEffect(() => void (ids.value = new Set()), [narrowing]);
  return h(
    Frame,
    { title: t`Drift`, intro: t`What changed on hosts between two gatherings of their facts, newest first.` },
    summary.value && h(Breakdown, { summary: summary.value, narrowing, turn: turn.value }),
    summary.value && offered.value && h(Bulk, { summary: summary.value, narrowing, ids, onDone: again }),
    h(ListView, { resource: change, options, more: [selectColumn(ids, offered)], turn: turn.value }),
  );
}

/** What the list is narrowed by, for what is counted and acknowledged. */
function narrowingOf(query) {
  const { search, filters } = readQuery(query, change.order);
  const narrowing = new URLSearchParams(filters.map(([name, value]) => [name, value]));
  if (search) narrowing.set('search', search);
  return narrowing.toString();
}

/** What tells that a host drifted, and of which inventory it is to nobody: there may be more of them than one can listen to. */
const anyInventory = 0;

/** Calls when a host of any inventory drifts, and once it would be told so: what drifted before that was told to nobody. */
function useDrifting(note) {
  useEffect(() => {
    let timer;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        note();
      }, pauseMs);
    };
    const leave = onGroup('drift', anyInventory, later, later);
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, []);
}

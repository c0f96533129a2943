import { ListPage, onGroup, pagesOf, useQuery } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { eventLog } from './resources.js';

/** Events come in many at once; the list is read again once for all. */
const pauseMs = 500;

/** The list of events, read again when one comes in or moves. */
function Inbox() {
  const { data } = useQuery('event_rules/?page_size=200');
  const turn = useSignal(0);
  const rules = (data.value?.results ?? []).map(({ id }) => id).join(',');
  useEffect(() => {
    if (!rules) return undefined;
    let timer;
    const note = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        turn.value += 1;
      }, pauseMs);
    };
    const leave = rules.split(',').map((rule) => onGroup('event_logs', Number(rule), note, note));
    return () => {
      clearTimeout(timer);
      for (const stop of leave) stop();
    };
  }, [rules]);
  return h(ListPage, { resource: eventLog, turn: turn.value });
}

const [first, ...others] = pagesOf(eventLog);
export const routes = [{ ...first, page: Inbox }, ...others];

import { When, onGroup, runPath, t } from '@tapline/console-kit';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { Judged } from './judged.js';

const ends = {
  received: t`It waits for its turn.`,
  unmatched: t`A condition did not hold: nothing is done.`,
  throttled: t`The rule fired a short while ago: nothing is done.`,
  error: t`It could not be judged.`,
  signature_failed: t`It was refused.`,
};

/** One event's way from its receipt to the runs that it led to; it follows while it goes on. */
export function Way({ row, reload }) {
  useEffect(() => {
    const again = () => void reload();
    const leave = row.event_rule ? onGroup('event_logs', row.event_rule, again, again) : undefined;
    // one that was made from another's page is in a group that is joined already: it may have been judged before this
    if (row.status === 'received') again();
    return leave;
  }, [row.id, row.event_rule]);
  const { created, finished, source_ip: from, condition_results: conditions, actions_triggered: actions } = row;
  const refused = row.status === 'signature_failed';
  // without a result nothing was tried: the rule was off or gone, or has no condition
  const untried = row.status === 'unmatched' && !conditions.length;
  const judged = !refused && row.status !== 'received' && (conditions.length > 0 || row.error === '');
  return h(
    'ol',
    { class: 'way' },
    h(
      'li',
      null,
      t`Received `,
      h(When, { at: created }),
      from && t` from ${from}`,
      refused ? t`, with a wrong signature.` : t`, ${row.payload_bytes} bytes, signature checked.`,
      row.replay_of && [
        t` It repeats `,
        h('a', { href: `/event_logs/${row.replay_of}?tab=way` }, t`event ${row.replay_of}`),
        '.',
      ],
      row.duplicates > 0 && t` It came again ${row.duplicates} times and was refused.`,
    ),
    judged && h('li', null, t`Judged by ${row.event_rule_name}:`, h(Judged, { results: conditions })),
    actions.map((action, index) => h('li', { key: index }, h(Action, action))),
    ends[row.status] && h('li', null, untried ? t`Nothing is done.` : ends[row.status], row.error && ` ${row.error}`),
    finished && h('li', null, t`Done with `, h(When, { at: finished }), '.'),
  );
}

function Action({ action_type: type, description, status, job, job_type: kind, notification, error }) {
  const named = description ? `${type} (${description})` : type;
  if (status === 'launched' && job)
    return [t`${named}: launched `, h('a', { href: runPath({ id: job, type: kind, url: '' }) }, t`run ${job}`), '.'];
  if (status === 'sent' && notification)
    return [
      t`${named}: sent as `,
      h('a', { href: `/notifications/${notification}` }, t`delivery ${notification}`),
      '.',
    ];
  return `${named}: ${status}. ${error}`;
}

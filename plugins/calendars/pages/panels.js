import { shown, Table, t, useQuery } from '@tapline/console-kit';
import { Fragment, h } from 'preact';
import { clockOf, daysOf } from './days.js';

/** What a calendar comes to, now and in the next days, and where it counts. */
export const NextDays = ({ record }) =>
  shown(
    useQuery(`calendars/${record.id}/spans/`),
    { what: t`next days`, loading: t`the next days` },
    ({ results: spans }) =>
      h(Fragment, null, h(State, { calendar: record, spans, now: Date.now() }), h(Bound, { id: record.id })),
  );

function State({ calendar: { kind, timezone }, spans, now }) {
  const clock = clockOf(timezone);
  const open = spans.find(({ start, end }) => Date.parse(start) <= now && now < Date.parse(end));
  const denied = kind === 'deny' ? open : !open;
  const until = open ? open.end : spans[0]?.start;
  const columns = [
    { label: t`Day in ${timezone}`, cell: ({ name }) => name, heading: true },
    { label: kind === 'deny' ? t`Denied` : t`Allowed`, cell: ({ times }) => times.join(', ') || '–' },
  ];
  return h(
    Fragment,
    null,
    h(
      'p',
      { role: 'status' },
      h('strong', null, denied ? t`Launches are denied now` : t`Launches are allowed now`),
      until ? t`, until ${clock.at(Date.parse(until))} (${timezone}).` : t`, and nothing changes that any more.`,
    ),
    h(Table, { caption: t`The next days`, columns, rows: daysOf(spans, now, clock), rowKey: ({ name }) => name }),
  );
}

/** Each is a tab. */
const bound = {
  organizations: t`organizations`,
  inventories: t`inventories`,
  unified_job_templates: t`templates`,
};

function Bound({ id }) {
  const counts = Object.keys(bound).map((list) => useQuery(`calendars/${id}/${list}/?page_size=1`).data.value?.count);
  // what cannot be counted is not told: each tab says why
  if (counts.includes(undefined)) return null;
  if (counts.every((count) => count === 0)) return h('p', null, t`It is bound to nothing yet: it denies nothing.`);
  return h(
    'p',
    null,
    t`Bound to`,
    ' ',
    Object.entries(bound).map(([list, label], i) => [
      i > 0 && ', ',
      h('a', { href: `/calendars/${id}?tab=${list}` }, `${label}: ${counts[i]}`),
    ]),
  );
}

const columns = [
  { label: t`Rule`, cell: ({ rrule }) => h('code', null, rrule), heading: true },
  { label: t`Lasts`, cell: ({ duration }) => h('code', null, duration), narrow: true },
];

/** As they are stored. */
export const Windows = ({ record: { windows } }) =>
  h(Table, { caption: t`Windows`, columns, rows: windows, rowKey: (window) => windows.indexOf(window) });

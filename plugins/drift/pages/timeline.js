import {
  addressWith,
  Failure,
  go,
  Loading,
  PageLayout,
  place,
  Table,
  TextField,
  useQuery,
  When,
  t,
} from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { h } from 'preact';

const kinds = {
  run: t`Run`,
  event: t`Event`,
  snapshot: t`Snapshot`,
  drift: t`Drift`,
  alert: t`Alert`,
};

/** What was done to a host and what was found on it, newest first: `/drift/hosts/5?from=&to=`. */
export function TimelinePage({ params: { id } }) {
  const { query } = place.value;
  const span = new URLSearchParams();
  for (const name of ['from', 'to']) if (query.get(name)) span.set(name, query.get(name));
  const { data: host } = useQuery(`hosts/${id}/`);
  const { data, error, reload } = useQuery(`hosts/${id}/timeline/?${span}`);
  const name = host.value?.name ?? t`host ${id}`;
  return h(
    PageLayout,
    {
      title: t`Timeline of ${name}`,
      trail: [
        { label: t`Drift`, href: '/drift' },
        { label: name, href: `/hosts/${id}` },
      ],
    },
    h(Span),
    error.value && h(Failure, { error: error.value, what: t`timeline`, again: reload }),
    !data.value && !error.value && h(Loading, { what: t`timeline` }),
    data.value && h(Entries, { of: data.value }),
  );
}

/** The days that are looked at. */
function Span() {
  const { path, query } = place.value;
  const from = useSignal(query.get('from') ?? '');
  const to = useSignal(query.get('to') ?? '');
  const field = (label, name, signal) =>
    h(TextField, {
      label,
      name,
      value: signal.value,
      placeholder: 'YYYY-MM-DD',
      onValue: (text) => void (signal.value = text),
    });
  return h(
    'form',
    {
      class: 'charts',
      'aria-label': t`Time`,
      onSubmit: (event) => {
        event.preventDefault();
        go(addressWith(path, query, { from: from.value, to: to.value }));
      },
    },
    field(t`From`, 'from', from),
    field(t`Until`, 'to', to),
    h('div', { class: 'form-actions' }, h('button', { type: 'submit' }, t`Show`)),
  );
}

const columns = [
  { label: t`When`, cell: ({ at }) => h(When, { at }), narrow: true },
  { label: t`What`, cell: ({ kind, title }) => title ?? kinds[kind] ?? kind, narrow: true },
  { label: t`Told`, cell: ({ summary, page }) => (page ? h('a', { href: page }, summary) : summary), heading: true },
];

/** Where each is shown in the console. */
const pages = {
  // jobs and commands are there at the addresses that the API has them at
  run: ({ url }) => url.replace(/^\/api\/v2(\/.+)\/$/, '$1'),
  snapshot: ({ id }) => `/drift/snapshots/${id}`,
  drift: ({ id }) => `/drift/${id}`,
  alert: ({ id }) => `/drift/alerts/${id}`,
};

function Entries({ of: { results, complete, failed, count } }) {
  const left = failed.map((kind) => kinds[kind] ?? kind).join(', ');
  const missing =
    failed.length > 0 && h('p', { class: 'muted', role: 'status' }, t`Could not be read now and is missing: ${left}.`);
  if (!count) return [missing, h('p', { class: 'empty' }, t`Nothing happened there in that time.`)];
  const rows = results.map((entry) => ({ ...entry, page: pages[entry.kind]?.(entry) }));
  return [
    missing,
    // of two reasons why it is not the one above
    !complete && !missing && h('p', { class: 'muted', role: 'status' }, t`Only the newest ${count} are shown.`),
    h(Table, { caption: t`Timeline`, columns, rows, rowKey: ({ kind, id }) => `${kind} ${id}` }),
  ];
}

import { element } from '@tapline/console-kit';
import { button, field, link, pager, select, table, time } from './dom.js';

const categories = ['packages', 'services', 'users_groups', 'network', 'mounts', 'kernel', 'other'];
const severities = ['low', 'medium', 'high', 'critical'];
const any = (names) => [['', 'Any'], ...names.map((name) => [name, name])];
const narrowing = [
  'host__name__icontains',
  'category',
  'severity',
  'attribution',
  'acknowledged',
  'date_from',
  'date_to',
];

/** The list of changes, as the address narrows it. */
export async function showChanges(part, { request, query, go, toast }) {
  const asked = new URLSearchParams([...query].filter(([name, text]) => [...narrowing, 'page'].includes(name) && text));
  const filters = new URLSearchParams([...asked].filter(([name]) => name !== 'page'));
  const [summary, page] = await Promise.all([
    request('GET', `drift_detections/summary/?${filters}`),
    request('GET', `drift_detections/?${asked}`),
  ]);
  const again = () => showChanges(part, { request, query, go, toast });
  const acknowledge = async (path, body) => {
    const { acknowledged } = await request('POST', path, { body });
    toast(`${acknowledged} acknowledged.`, 'good');
    await again();
  };
  part.replaceChildren(
    totals(summary),
    filterForm(query, go),
    page.results.length
      ? changesTable(page.results)
      : element('p', { class: 'empty' }, 'No change of a host is on record here.'),
    page.results.some(mayAcknowledge) ? bulk(part, summary, filters, acknowledge) : '',
    pager(page, asked),
  );
}

const totals = ({ total, unacknowledged, by_category: categoriesOf, by_severity: severitiesOf }) =>
  element(
    'p',
    { class: 'sub' },
    `${total} changes, ${unacknowledged} not acknowledged. `,
    [...Object.entries(severitiesOf).toReversed(), ...Object.entries(categoriesOf)]
      .filter(([, count]) => count)
      .map(([name, count]) => `${count} ${name}`)
      .join(', '),
  );

function filterForm(query, go) {
  const now = (name) => query.get(name) ?? '';
  const input = (name, type) => element('input', { name, type, value: now(name) });
  const form = element(
    'form',
    {
      class: 'filters',
      'aria-label': 'Narrow the list',
      submit: (event) => {
        event.preventDefault();
        const sent = [...new FormData(form)].filter(([, text]) => text);
        go(`/drift?${new URLSearchParams(sent)}`);
      },
    },
    field('Host', input('host__name__icontains', 'search')),
    field('Category', select('category', any(categories), now('category'))),
    field('Severity', select('severity', any(severities), now('severity'))),
    field(
      'Made by',
      select(
        'attribution',
        [
          ['', 'Anybody'],
          ['expected', 'our jobs'],
          ['out_of_band', 'others'],
        ],
        now('attribution'),
      ),
    ),
    field(
      'Acknowledged',
      select(
        'acknowledged',
        [
          ['', 'Either'],
          ['false', 'No'],
          ['true', 'Yes'],
        ],
        now('acknowledged'),
      ),
    ),
    field('From', input('date_from', 'date')),
    field('To', input('date_to', 'date')),
    element('button', { class: 'button primary' }, 'Narrow'),
    link(`/api/v2/drift_detections/export/?${query}`, 'Export as CSV'),
  );
  return form;
}

const mayAcknowledge = ({ summary_fields: fields }) => fields.user_capabilities?.acknowledge === true;

const changesTable = (results) =>
  table(
    'Changes',
    ['Select', 'Host', 'Change', 'Category', 'Severity', 'Made by', 'Found', 'Seen by'],
    results.map((row) => [
      row.acknowledged || !mayAcknowledge(row)
        ? ''
        : element('input', {
            type: 'checkbox',
            name: 'change',
            value: row.id,
            'aria-label': `Select change ${row.id}`,
          }),
      link(
        `/drift?host__name__icontains=${encodeURIComponent(row.summary_fields.host.name)}`,
        row.summary_fields.host.name,
      ),
      link(`/drift/${row.id}`, row.summary),
      row.category,
      element('span', { class: `severity ${row.severity}` }, row.severity),
      row.attribution === 'expected' ? 'our jobs' : 'others',
      time(row.created),
      row.acknowledged ? (row.summary_fields.acknowledged_by?.username ?? 'somebody') : '–',
    ]),
    'Change',
  );

function bulk(part, { unacknowledged }, filters, acknowledge) {
  const chosen = () => [...part.querySelectorAll('input[name=change]:checked')].map((box) => Number(box.value));
  return element(
    'p',
    { class: 'bulk' },
    button('Acknowledge those selected', () => acknowledge('drift_detections/acknowledge/', { ids: chosen() })),
    unacknowledged > 0 &&
      button(`Acknowledge all ${unacknowledged}`, () =>
        acknowledge(`drift_detections/acknowledge/?${filters}`, { all: true }),
      ),
  );
}

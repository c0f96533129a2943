import { element } from '@tapline/console-kit';
import { field, select, table, value } from './dom.js';

/** Two snapshots side by side, of one host or of two. */
export async function showCompare(part, { request, query, go }) {
  const [a, b] = [query.get('a'), query.get('b')];
  const host = query.get('host') ?? '';
  const narrowed = host ? `&host__name__icontains=${encodeURIComponent(host)}` : '';
  const { results: snapshots } = await request('GET', `fact_snapshots/?page_size=200${narrowed}`);
  if (!snapshots.length && !host) {
    part.replaceChildren(element('p', { class: 'empty' }, 'There are no snapshots yet: let jobs use the fact cache.'));
    return;
  }
  const choices = snapshots.map(({ id, captured_at: at, summary_fields }) => [
    id,
    titleOf({ id, captured_at: at, host_name: summary_fields.host.name }),
  ]);
  const form = element(
    'form',
    {
      'aria-label': 'Snapshots to compare',
      submit: (event) => {
        event.preventDefault();
        const sent = new FormData(form);
        // other hosts: other snapshots to choose from
        if (sent.get('host') !== host) for (const name of ['a', 'b']) sent.delete(name);
        go(`/drift/compare?${new URLSearchParams(sent)}`);
      },
    },
    field('Hosts', element('input', { name: 'host', type: 'search', value: host, placeholder: 'part of a name' })),
    field('First snapshot', select('a', choices, a ?? choices.at(1)?.[0])),
    field('Second snapshot', select('b', choices, b ?? choices.at(0)?.[0])),
    element('button', { class: 'button primary' }, 'Compare'),
  );
  part.replaceChildren(form);
  if (a && b) part.append(...(await comparison(request, Number(a), Number(b))));
}

const titleOf = ({ id, host_name: name, captured_at: at }) => `${name}, ${at.replace('T', ' ').slice(0, 19)} (${id})`;

async function comparison(request, a, b) {
  const body = { snapshot_a: a, snapshot_b: b };
  const {
    snapshot_a: one,
    snapshot_b: other,
    count,
    differences,
  } = await request('POST', 'drift_detections/compare/', {
    body,
  });
  return [
    element(
      'p',
      { role: 'status' },
      count ? `${count} facts differ.` : 'No fact differs, but for those that change by themselves.',
    ),
    count > 0 &&
      table(
        'Differences',
        ['Fact', titleOf(one), titleOf(other)],
        differences.map(({ fact_path: path, severity, before, after, paths }) => [
          element('div', {}, path, element('p', { class: `severity ${severity}` }, severity)),
          shortened(before, paths, 'before'),
          shortened(after, paths, 'value'),
        ]),
      ),
  ].filter(Boolean);
}

/** Of what is long only the places that differ. */
function shortened(whole, paths, side) {
  const text = JSON.stringify(whole) ?? '';
  if (text.length < 400 || !paths.length) return value(whole);
  const lines = paths.slice(0, 50).map((change) => `${change.path}: ${JSON.stringify(change[side]) ?? '–'}`);
  return value(lines.join('\n'));
}

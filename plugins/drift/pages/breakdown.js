import { addressWith, Chart, place, useQuery, t } from '@tapline/console-kit';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { categories, categoryLabel, changesText, severities } from './words.js';

/** How much there is by host, category and time; each bar leads to the list narrowed so. */
export function Breakdown({ summary, narrowing, turn }) {
  const { data, reload } = useQuery(`drift_detections/breakdown/?${narrowing}`);
  useEffect(() => void (turn > 0 && reload()), [turn]);
  const { path, query } = place.value;
  const to = (changes) => addressWith(path, query, changes);
  const { by_host: hosts = [], by_day: days = [] } = data.value ?? {};
  const { total, unacknowledged, by_category: ofCategories, by_severity: ofSeverities } = summary;
  if (!total) return null;
  return h(
    'section',
    { 'aria-label': t`How much there is` },
    h('p', { role: 'status' }, t`${changesText(total)}, ${unacknowledged.toLocaleString('en')} not acknowledged.`),
    h(
      'div',
      { class: 'charts' },
      h(Chart, {
        caption: t`By host`,
        points: hosts.map(({ host, host_name: name, count }) => ({
          label: name,
          value: count,
          href: to({ host: String(host) }),
        })),
      }),
      h(Chart, {
        caption: t`By category`,
        points: categories
          .filter((name) => ofCategories[name])
          .map((name) => ({ label: categoryLabel(name), value: ofCategories[name], href: to({ category: name }) })),
      }),
      h(Chart, {
        caption: t`By severity`,
        points: severities
          .filter((name) => ofSeverities[name])
          .toReversed()
          .map((name) => ({ label: categoryLabel(name), value: ofSeverities[name], href: to({ severity: name }) })),
      }),
      h(Chart, {
        caption: t`By day`,
        points: days.map(({ day, count }) => ({
          label: day,
          value: count,
          href: to({ date_from: day, date_to: day }),
        })),
      }),
    ),
  );
}

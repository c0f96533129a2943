import { element } from '@tapline/console-kit';
import { button, link, table, time, value } from './dom.js';

/** One change, with the whole fact before and after. */
export async function showDetail(part, { request, toast }, id) {
  const row = await request('GET', `drift_detections/${id}/`);
  const { host, job, acknowledged_by: by } = row.summary_fields;
  const { before, after, paths } = row.detail;
  const acknowledge = async () => {
    await request('POST', `drift_detections/${id}/acknowledge/`);
    toast('Acknowledged.', 'good');
    await showDetail(part, { request, toast }, id);
  };
  part.replaceChildren(
    element('h2', {}, row.summary),
    element(
      'p',
      {},
      `${row.fact_path} on `,
      link(`/hosts/${row.host}`, host.name),
      `, ${row.category}, ${row.severity}, found `,
      time(row.created),
      job && ' by ',
      job && link(`/jobs/${row.job}`, job.name),
      row.attribution === 'out_of_band' ? '; none of our runs changed anything there meanwhile.' : '.',
    ),
    row.acknowledged
      ? element('p', {}, `Acknowledged by ${by?.username ?? 'somebody'}.`)
      : button('Acknowledge', acknowledge),
    paths.length > 0 &&
      table(
        'Changes within the fact',
        ['Where', 'What', 'Before', 'After'],
        paths.map((change) => [change.path || '/', change.op, value(change.before), value(change.value)]),
      ),
    table('Before and after', ['Before', 'After'], [[value(before), value(after)]]),
  );
}

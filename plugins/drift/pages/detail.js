import { element } from '@tapline/console-kit';
import { button, field, link, select, table, time, value } from './dom.js';

/** One change, with the whole fact before and after. */
export async function showDetail(part, { request, toast }, id) {
  const [row, templates] = await Promise.all([
    request('GET', `drift_detections/${id}/`),
    request('GET', 'job_templates/?ask_limit_on_launch=true&page_size=200'),
  ]);
  const { host, job, acknowledged_by: by, user_capabilities: can } = row.summary_fields;
  const { before, after, paths } = row.detail;
  const acknowledge = async () => {
    await request('POST', `drift_detections/${id}/acknowledge/`);
    toast('Acknowledged.', 'good');
    await showDetail(part, { request, toast }, id);
  };
  const launch = async (template) => {
    await request('POST', `drift_detections/${id}/remediate/`, { body: template ? { job_template: template } : {} });
    toast('Launched.', 'good');
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
      : can?.acknowledge && button('Acknowledge', acknowledge),
    remedy(row, templates.results, launch),
    paths.length > 0 &&
      table(
        'Changes within the fact',
        ['Where', 'What', 'Before', 'After'],
        paths.map((change) => [change.path || '/', change.op, value(change.before), value(change.value)]),
      ),
    table('Before and after', ['Before', 'After'], [[value(before), value(after)]]),
  );
}

/** A job template to launch for the host, and what became of the one before. */
function remedy({ remediation_job: job, remediation_status: status, summary_fields: named }, templates, launch) {
  const may = templates.filter(({ summary_fields: { user_capabilities: can } }) => can?.start);
  const choice = select('job_template', [['', 'As the rule says'], ...may.map(({ id, name }) => [id, name])]);
  return element(
    'div',
    {},
    status &&
      element(
        'p',
        {},
        'Put right by ',
        job ? link(`/jobs/${job}`, named.remediation_job?.name ?? job) : 'a run that is gone',
        `: ${status}.`,
      ),
    named.user_capabilities?.acknowledge && [
      field('Put right by', choice),
      button('Launch for this host', () => launch(Number(choice.value))),
    ],
  );
}

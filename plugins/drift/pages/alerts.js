import { element } from '@tapline/console-kit';
import { table, time } from './dom.js';

/** What fired, and whether anybody was told. */
export async function showAlerts(part, { request }) {
  const { results } = await request('GET', 'drift_alerts/?page_size=200');
  part.replaceChildren(
    results.length
      ? table(
          'Alerts',
          ['When', 'Alert', 'Message'],
          results.map(({ created, summary, notification_status: status, notification_error: error }) => [
            time(created),
            summary,
            status === 'failed' ? `failed: ${error}` : status,
          ]),
        )
      : element('p', { class: 'empty' }, 'No rule has fired.'),
  );
}

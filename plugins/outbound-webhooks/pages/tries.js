import { onGroup, Table, When, t } from '@tapline/console-kit';
import { h } from 'preact';
import { useEffect } from 'preact/hooks';

const columns = [
  { label: t`When`, cell: ({ started }) => h(When, { at: started }) },
  { label: t`Answer`, cell: ({ status_code: code }) => code ?? '–' },
  { label: t`Took`, cell: ({ duration_ms: took }) => t`${took} ms` },
  { label: t`What was wrong`, cell: ({ error }) => error || '–' },
  { label: t`It said`, cell: ({ response_excerpt: text }) => text || '–' },
];

/** Each try of a delivery with the answer to it, and what was sent; it follows while the delivery goes on. */
export function Tries({ row, reload }) {
  const { id, outbound_webhook: webhook, finished, attempts, request, body } = row;
  useEffect(() => {
    if (finished) return undefined;
    const again = () => void reload();
    // one that was made from another's page is in a group that is joined already: it may have been tried before this
    again();
    const heard = ({ delivery, deliveries = [delivery] }) => deliveries.includes(id) && again();
    return onGroup('outbound_webhook_deliveries', webhook, heard, again);
  }, [id, webhook, finished === null]);
  return [
    attempts.length
      ? h(Table, { caption: t`Tries`, columns, rows: attempts, rowKey: ({ started }) => started })
      : h('p', { class: 'empty' }, t`It was not tried yet.`),
    h('h2', null, t`Request`),
    h(
      'pre',
      { class: 'value', tabIndex: 0, role: 'region', 'aria-label': t`Request` },
      JSON.stringify(request, null, 2),
    ),
    h('pre', { class: 'value', tabIndex: 0, role: 'region', 'aria-label': t`Body` }, body),
  ];
}

import { ActButton, Dialog, get, may, post, toast } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';

/** What it says, or what became of it. */
const told = (work) => work().catch((error) => toast(error.message, 'bad'));

/** A test and the key, for whoever manages the webhook. */
export function WebhookActions({ row }) {
  return may(row, 'edit') ? h(Fragment, null, h(Test, { row }), h(Key, { row })) : null;
}

/** One request at once, and what the target answered. */
function Test({ row }) {
  const result = useSignal(null);
  const test = async () => void (result.value = await post(`outbound_webhooks/${row.id}/test/`));
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => void told(test) }, 'Test'),
    result.value &&
      h(
        Dialog,
        { title: `Test of ${row.name}`, onClose: () => void (result.value = null) },
        h('p', null, answerOf(result.value)),
        result.value.response_excerpt &&
          h(
            'pre',
            { class: 'value', tabIndex: 0, role: 'region', 'aria-label': 'Answer' },
            result.value.response_excerpt,
          ),
        h('button', { type: 'button', class: 'primary', onClick: () => void (result.value = null) }, 'Close'),
      ),
  );
}

const answerOf = ({ delivered, status_code: code, duration_ms: took, error }) =>
  delivered ? `Delivered: ${code} after ${took} ms.` : `Not delivered: ${error}`;

/** The key that requests are signed with; for a while after a new one both sign. */
function Key({ row }) {
  const key = useSignal(null);
  const path = `outbound_webhooks/${row.id}/webhook_key/`;
  const read = (ask) => void told(async () => void (key.value = (await ask(path)).webhook_key));
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => read(get) }, 'Key'),
    key.value !== null &&
      h(
        Dialog,
        { title: `Key of ${row.name}`, onClose: () => void (key.value = null) },
        h('p', null, 'The target checks signatures with it (Standard Webhooks).'),
        h('pre', { class: 'value once', tabIndex: 0, role: 'region', 'aria-label': 'Key' }, key.value),
        h('p', { class: 'hint' }, 'After a new one both sign for as long as OUTBOUND_WEBHOOK_KEY_OVERLAP_HOURS says.'),
        h(
          'div',
          { class: 'form-actions' },
          h('button', { type: 'button', onClick: () => read(post) }, 'Make a new key'),
          h('button', { type: 'button', class: 'primary', onClick: () => void (key.value = null) }, 'Close'),
        ),
      ),
  );
}

/** The same message once more. */
export const Redeliver = ({ row }) =>
  h(ActButton, {
    label: 'Redeliver',
    what: row.message_id,
    path: `outbound_webhook_deliveries/${row.id}/redeliver/`,
    done: 'It is on its way again.',
    to: ({ id }) => `/outbound_webhooks/deliveries/${id}?tab=tries`,
  });

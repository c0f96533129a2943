import { ActButton, Dialog, get, may, post, toast, t } from '@tapline/console-kit';
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
    h('button', { type: 'button', onClick: () => void told(test) }, t`Test`),
    result.value &&
      h(
        Dialog,
        { title: t`Test of ${row.name}`, onClose: () => void (result.value = null) },
        h('p', null, answerOf(result.value)),
        result.value.response_excerpt &&
          h(
            'pre',
            { class: 'value', tabIndex: 0, role: 'region', 'aria-label': t`Answer` },
            result.value.response_excerpt,
          ),
        h('button', { type: 'button', class: 'primary', onClick: () => void (result.value = null) }, t`Close`),
      ),
  );
}

const answerOf = ({ delivered, status_code: code, duration_ms: took, error }) =>
  delivered ? t`Delivered: ${code} after ${took} ms.` : t`Not delivered: ${error}`;

/** The key that requests are signed with; for a while after a new one both sign. */
function Key({ row }) {
  const key = useSignal(null);
  const path = `outbound_webhooks/${row.id}/webhook_key/`;
  const read = (ask) => void told(async () => void (key.value = (await ask(path)).webhook_key));
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => read(get) }, t`Key`),
    key.value !== null &&
      h(
        Dialog,
        { title: t`Key of ${row.name}`, onClose: () => void (key.value = null) },
        h('p', null, t`The target checks signatures with it (Standard Webhooks).`),
        h('pre', { class: 'value once', tabIndex: 0, role: 'region', 'aria-label': t`Key` }, key.value),
        h('p', { class: 'hint' }, t`After a new one both sign for as long as OUTBOUND_WEBHOOK_KEY_OVERLAP_HOURS says.`),
        h(
          'div',
          { class: 'form-actions' },
          h('button', { type: 'button', onClick: () => read(post) }, t`Make a new key`),
          h('button', { type: 'button', class: 'primary', onClick: () => void (key.value = null) }, t`Close`),
        ),
      ),
  );
}

/** The same message once more. */
export const Redeliver = ({ row }) =>
  may(row, 'redeliver') &&
  h(ActButton, {
    label: t`Redeliver`,
    what: row.message_id,
    path: `outbound_webhook_deliveries/${row.id}/redeliver/`,
    done: t`It is on its way again.`,
    to: ({ id }) => `/outbound_webhooks/deliveries/${id}?tab=tries`,
  });

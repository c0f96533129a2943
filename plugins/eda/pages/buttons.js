import { ActButton, Dialog, get, may, post, toast, t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';

/** The key and a switch, for whoever manages the rule. */
export function RuleActions({ row, reload }) {
  if (!may(row, 'edit')) return null;
  const [label, action, done] = row.enabled
    ? [t`Disable`, 'disable', t`Its events are answered and ignored.`]
    : [t`Enable`, 'enable', t`It is on.`];
  return h(
    Fragment,
    null,
    h(Key, { row }),
    h(ActButton, { label, what: row.name, path: `event_rules/${row.id}/${action}/`, done, onDone: reload }),
  );
}

/** The key that senders sign with; read when somebody asks for it. */
function Key({ row }) {
  const key = useSignal(null);
  const path = `event_rules/${row.id}/webhook_key/`;
  const read = async (answer) => {
    try {
      key.value = (await answer()).webhook_key;
    } catch (error) {
      toast(error.message, 'bad');
    }
  };
  return h(
    Fragment,
    null,
    h('button', { type: 'button', onClick: () => void read(() => get(path)) }, t`Key`),
    key.value !== null &&
      h(
        Dialog,
        { title: t`Key of ${row.name}`, onClose: () => void (key.value = null) },
        h('p', null, t`Give it to the sender with this address:`),
        h('pre', { class: 'value', tabIndex: 0, role: 'region', 'aria-label': t`Address` }, row.webhook_url),
        h('pre', { class: 'value once', tabIndex: 0, role: 'region', 'aria-label': t`Key` }, key.value),
        h('p', { class: 'hint' }, t`After a new one the former is accepted for as long as EDA_KEY_OVERLAP_HOURS says.`),
        h(
          'div',
          { class: 'form-actions' },
          h('button', { type: 'button', onClick: () => void read(() => post(path)) }, t`Make a new key`),
          h('button', { type: 'button', class: 'primary', onClick: () => void (key.value = null) }, t`Close`),
        ),
      ),
  );
}

/** An event once more, by the rule as it is now. */
export const Replay = ({ row }) =>
  row.event_rule &&
  row.payload_bytes > 0 &&
  may(row, 'replay') &&
  h(ActButton, {
    label: t`Replay`,
    what: t`event ${row.event_guid}`,
    path: `event_logs/${row.id}/replay/`,
    done: t`It is judged again.`,
    to: ({ id }) => `/event_logs/${id}?tab=way`,
  });

/** All that could not be judged. */
export const Retry = () =>
  h(ActButton, {
    label: t`Retry failed`,
    what: t`events`,
    path: 'event_logs/retry/',
    done: t`Those that something can be made of are judged again.`,
  });

import { attempt, ListView, may, nameOf, post, RelationPicker, t, useOptions } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Fragment, h } from 'preact';

/**
 * Where a calendar counts; whoever administers it binds it to what else they may change.
 * @param {{ id: string, label: string, one: string, many: string, kinds?: Record<string, [list: string, label: string]> }} what `id` is
 *   the list below the calendar, and that of all; `kinds`, by type, where it holds several that each have a list of their own
 */
export function boundTab({ id, label, one, many, kinds }) {
  const kind = ({ type }) => kinds[type]?.[1] ?? type;
  const listed = {
    path: id,
    type: '',
    one,
    many,
    columns: ['name', ...(kinds ? [{ label: t`Kind`, cell: kind, narrow: true }] : [])],
    filters: ['name'],
  };
  const offered = kinds ? Object.values(kinds) : [[id, label]];
  return { id, label, content: ({ row }) => h(BoundTo, { calendar: row, listed, offered }) };
}

function BoundTo({ calendar, listed, offered }) {
  const options = useOptions(`${listed.path}/`);
  const turn = useSignal(0);
  const editable = may(calendar, 'edit');
  const send = async (path, body, words) => {
    const done = await attempt(() => post(`${path}calendars/`, { id: calendar.id, ...body }), words);
    if (done) turn.value += 1;
  };
  const bind = (path) => send(path, {}, { said: t`The ${listed.one} is bound.` });
  const unbind = (row) => {
    const name = nameOf(listed, row);
    const undo = () => send(pathOf(row), {}, { said: t`${name} is bound again.` });
    return send(pathOf(row), { disassociate: true }, { said: t`${name} is not bound any more.`, undo });
  };
  return h(
    Fragment,
    null,
    editable && h(Bind, { key: turn.value, one: listed.one, offered, bind }),
    h(ListView, {
      resource: listed,
      options,
      api: `calendars/${calendar.id}/${listed.path}/`,
      more: editable ? [unbindColumn(listed, unbind)] : [],
      actions: editable ? [unbindSeveral(calendar)] : [],
      turn: turn.value,
    }),
  );
}

/** Below /api/v2/; the address of a record says it for every type. */
const pathOf = ({ url }) => url.replace(/^\/api\/v2\//, '');

const unbindColumn = (listed, unbind) => ({
  label: t`Action`,
  narrow: true,
  cell: (row) =>
    h('button', { type: 'button', onClick: () => void unbind(row) }, [
      t`Unbind`,
      h('span', { class: 'visually-hidden' }, ` ${nameOf(listed, row)}`),
    ]),
});

const unbindSeveral = ({ id }) => ({
  verb: t`Unbind`,
  doing: t`Unbinding`,
  done: t`unbound`,
  warning: t`They stay as they are, but this calendar counts for them no more.`,
  fits: () => true,
  act: (row) => post(`${pathOf(row)}calendars/`, { id, disassociate: true }),
});

function Bind({ one, offered, bind }) {
  const list = useSignal(offered[0][0]);
  const chosen = useSignal('');
  const submit = (event) => {
    event.preventDefault();
    if (chosen.value) void bind(`${list.value}/${chosen.value}/`);
  };
  const of = (kind) => {
    list.value = kind;
    chosen.value = '';
  };
  return h(
    'form',
    { class: 'tab-actions', onSubmit: submit },
    offered.length > 1 &&
      h(
        'select',
        { 'aria-label': t`Kind`, value: list.value, onChange: ({ currentTarget }) => of(currentTarget.value) },
        offered.map(([value, label]) => h('option', { key: value, value }, label)),
      ),
    h(RelationPicker, {
      key: list.value,
      bare: true,
      name: 'bind',
      label: t`${one} to bind it to`,
      list: `${list.value}/`,
      value: chosen.value,
      onValue: (value) => void (chosen.value = value),
    }),
    h('button', { type: 'submit' }, t`Bind`),
  );
}

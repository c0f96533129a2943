import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { post } from '../api/http.ts';
import type { BulkAction } from '../bulk/action.ts';
import { attempt } from '../components/attempt.ts';
import { resourceAt } from '../resources/links.ts';
import {
  apiOf,
  type CellColumn,
  may,
  nameOf,
  type Resource,
  type Row,
  type Tab,
  type TabProps,
} from '../resources/resource.ts';
import { ListView } from './list-view.tsx';
import { RelationPicker } from './relation-picker.tsx';
import { useOptions } from './use-options.ts';

interface Linked {
  /** of the list below the record, and in the address */
  id: string;
  label: string;
  /** path of the resource that is listed */
  resource: string;
}

/** Records that are linked to this one and can be taken off again. */
export const linkTab = ({ id, label, resource }: Linked): Tab => ({
  id,
  label,
  content: ({ row, resource: of }: TabProps) => (
    <Links listed={resourceAt(resource)} api={`${apiOf(of)}${row.id}/${id}/`} editable={may(row, 'edit')} />
  ),
});

type Send = (body: { id: number; disassociate?: true }, said: string, again?: string) => Promise<void>;

function Links({ listed, api, editable }: { listed: Resource; api: string; editable: boolean }) {
  const options = useOptions(apiOf(listed));
  const turn = useSignal(0);
  const send: Send = async (body, said, again) => {
    const undo = again === undefined ? undefined : () => send({ id: body.id }, again);
    if (await attempt(() => post(api, body), { said, ...(undo && { undo }) })) turn.value += 1;
  };
  return (
    <>
      {editable && <AddLink key={turn.value} listed={listed} send={send} />}
      <ListView
        resource={listed}
        options={options}
        api={api}
        more={editable ? [takeOff(listed, send)] : []}
        actions={editable ? [takeSeveralOff(api)] : []}
        turn={turn.value}
      />
    </>
  );
}

function AddLink({ listed, send }: { listed: Resource; send: Send }) {
  const chosen = useSignal('');
  const add = (event: Event) => {
    event.preventDefault();
    if (chosen.value) void send({ id: Number(chosen.value) }, t`The ${listed.one} is added.`);
  };
  return (
    <form class="tab-actions" onSubmit={add}>
      <RelationPicker
        bare
        name="add"
        label={t`${listed.one} to add`}
        list={apiOf(listed)}
        value={chosen.value}
        onValue={(value) => void (chosen.value = value)}
      />
      <button type="submit">{t`Add ${listed.one}`}</button>
    </form>
  );
}

const takeSeveralOff = (api: string): BulkAction<Row> => ({
  verb: t`Take off`,
  doing: t`Taking off`,
  done: t`taken off`,
  warning: t`They stay as they are, but are linked to this no more.`,
  fits: () => true,
  act: ({ id }) => post(api, { id, disassociate: true }),
});

const takeOff = (listed: Resource, send: Send): CellColumn => ({
  label: t`Action`,
  narrow: true,
  cell: (linked) => {
    const name = nameOf(listed, linked);
    return (
      <button
        type="button"
        onClick={() =>
          void send({ id: linked.id, disassociate: true }, t`${name} is taken off.`, t`${name} is there again.`)
        }
      >
        {t`Take off`}
        <span class="visually-hidden"> {name}</span>
      </button>
    );
  },
});

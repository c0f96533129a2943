import { t } from '../texts/t.ts';
import { type Signal, useSignal } from '@preact/signals';
import { post } from '../api/http.ts';
import type { BulkAction } from '../bulk/action.ts';
import { attempt } from '../components/attempt.ts';
import { toast } from '../components/toasts.tsx';
import { resourceAt } from '../resources/links.ts';
import { type Move, oneUp } from '../resources/one-up.ts';
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
  /** what may be added, below /api/v2/; default all of the resource: `credentials/?credential_type__kind=galaxy` */
  list?: string;
  /** the order counts, first things first: they can be moved */
  ordered?: boolean;
  shown?: (row: Row) => boolean;
}

/** Records that are linked to this one and can be taken off again. */
export const linkTab = ({ id, label, resource, list, ordered = false, shown }: Linked): Tab => ({
  id,
  label,
  ...(shown && { shown }),
  content: ({ row, resource: of }: TabProps) => {
    // without an order of its own the API answers with theirs
    const listed = ordered ? { ...resourceAt(resource), order: '' } : resourceAt(resource);
    return (
      <Links
        listed={listed}
        list={list ?? apiOf(listed)}
        api={`${apiOf(of)}${row.id}/${id}/`}
        editable={may(row, 'edit')}
        ordered={ordered}
      />
    );
  },
});

type Send = (body: { id: number; disassociate?: true }, said: string, again?: string) => Promise<void>;

interface LinksProps {
  listed: Resource;
  list: string;
  api: string;
  editable: boolean;
  ordered: boolean;
}

function Links({ listed, list, api, editable, ordered }: LinksProps) {
  const options = useOptions(apiOf(listed));
  const turn = useSignal(0);
  const readAgain = () => void (turn.value += 1);
  /** what is added or taken off meanwhile would come to stand elsewhere */
  const moving = useSignal(false);
  const send: Send = async (body, said, again) => {
    if (moving.value) return;
    const undo = again === undefined ? undefined : () => send({ id: body.id }, again);
    if (await attempt(() => post(api, body), { said, ...(undo && { undo }) })) readAgain();
  };
  return (
    <>
      {editable && <AddLink key={turn.value} listed={listed} list={list} send={send} />}
      <ListView
        resource={listed}
        options={options}
        api={api}
        more={
          editable
            ? [...(ordered ? [moveUp(listed, api, moving, readAgain)] : []), takeOff(listed, send, moving, ordered)]
            : []
        }
        actions={editable ? [takeSeveralOff(api)] : []}
        turn={turn.value}
      />
    </>
  );
}

function AddLink({ listed, list, send }: { listed: Resource; list: string; send: Send }) {
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
        list={list}
        value={chosen.value}
        onValue={(value) => void (chosen.value = value)}
      />
      <button type="submit">{t`Add ${listed.one}`}</button>
    </form>
  );
}

const moveUp = (listed: Resource, api: string, moving: Signal<boolean>, done: () => void): CellColumn => {
  /** one at a time: two would mix their orders */
  const alone = async (work: () => Promise<void>) => {
    if (moving.value) return toast(t`Another one is being moved: try again.`, 'bad');
    moving.value = true;
    try {
      await attempt(work);
    } finally {
      moving.value = false;
    }
    done();
  };
  const back = ({ passed, order }: Move) =>
    alone(async () => {
      await oneUp(api, passed.id, listed, order);
      toast(t`The order is as before.`, 'good');
    });
  const move = (linked: Row) =>
    alone(async () => {
      const moved = await oneUp(api, linked.id, listed);
      const name = nameOf(listed, linked);
      if (moved) toast(t`${name} is moved up.`, 'good', () => back(moved));
      else toast(t`${name} cannot be moved up.`, 'info');
    });
  return {
    label: t`Order`,
    narrow: true,
    cell: (linked) => (
      <button type="button" aria-disabled={moving.value} onClick={() => void move(linked)}>
        {t`Move up`}
        <span class="visually-hidden"> {nameOf(listed, linked)}</span>
      </button>
    ),
  };
};

const takeSeveralOff = (api: string): BulkAction<Row> => ({
  verb: t`Take off`,
  doing: t`Taking off`,
  done: t`taken off`,
  warning: t`They stay as they are, but are linked to this no more.`,
  fits: () => true,
  act: ({ id }) => post(api, { id, disassociate: true }),
});

/** Where the order counts it is not offered to undo that: it would come back as the last. */
const takeOff = (listed: Resource, send: Send, moving: Signal<boolean>, ordered: boolean): CellColumn => ({
  label: t`Action`,
  narrow: true,
  cell: (linked) => {
    const name = nameOf(listed, linked);
    return (
      <button
        type="button"
        aria-disabled={moving.value}
        onClick={() =>
          void send(
            { id: linked.id, disassociate: true },
            t`${name} is taken off.`,
            ordered ? undefined : t`${name} is there again.`,
          )
        }
      >
        {t`Take off`}
        <span class="visually-hidden"> {name}</span>
      </button>
    );
  },
});

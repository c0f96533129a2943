import { useId, useRef } from 'preact/hooks';
import {
  ApiFailure,
  describedBy,
  FieldNotes,
  get,
  labelOfRow,
  type Page,
  RelationPicker,
  type Row,
  toast,
  useQuery,
  t,
} from '@tapline/console-kit';
import { type ListChanges, type NodeList, pathOfList } from './node-lists.ts';

interface Props {
  list: NodeList;
  /** null: a new one, whose lists are empty */
  node: number | null;
  changes: ListChanges;
  errors: readonly string[] | undefined;
}

/** Records that a node brings to its launch: found by typing, one after the other. */
export function ListField({ list, node, changes, errors = [] }: Props) {
  const id = useId();
  const { name, label, from, hint } = list;
  const { data, error } = useQuery<Page<Row>>(node === null ? null : `${pathOfList(node, name)}?page_size=200`);
  const before = node === null ? [] : data.value?.results;
  const chosen = changes.value[name]?.after ?? before ?? [];
  const change = (after: readonly Row[]) => {
    if (before) changes.value = { ...changes.value, [name]: { before, after } };
  };
  const part = useRef<HTMLFieldSetElement>(null);
  const add = async (value: string) => {
    const row = value ? await found(from, value) : undefined;
    if (row && !chosen.some((one) => one.id === row.id)) change([...chosen, row]);
  };
  return (
    <fieldset
      ref={part}
      class={errors.length ? 'field invalid' : 'field'}
      aria-describedby={describedBy({ id, hint, errors })}
    >
      <legend>
        {label}
        <span class="optional"> {t`(optional)`}</span>
      </legend>
      {chosen.length > 0 && (
        <Chosen
          rows={chosen}
          label={label}
          takeOff={(id) => {
            change(chosen.filter((one) => one.id !== id));
            // the button that had the focus goes
            part.current?.querySelector('input')?.focus();
          }}
        />
      )}
      {before && (
        <RelationPicker
          bare
          name={name}
          label={t`Add to ${label.toLowerCase()}`}
          list={from}
          value=""
          onValue={(value) => void add(value)}
        />
      )}
      {error.value && <p class="error">{error.value.message}</p>}
      <FieldNotes id={id} hint={hint} errors={errors} />
    </fieldset>
  );
}

async function found(list: string, id: string): Promise<Row | undefined> {
  try {
    return await get<Row>(`${list.split('?')[0]}${id}/`);
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    toast(failure.message, 'bad');
    return undefined;
  }
}

interface ChosenProps {
  rows: readonly Row[];
  label: string;
  takeOff: (id: number) => void;
}

const Chosen = ({ rows, label, takeOff }: ChosenProps) => (
  <ul class="plain chosen" aria-label={label}>
    {rows.map((row) => (
      <li key={row.id}>
        <span>{labelOfRow(row)}</span>
        <button type="button" onClick={() => takeOff(row.id)}>
          {t`Take off`}
          <span class="visually-hidden"> {labelOfRow(row)}</span>
        </button>
      </li>
    ))}
  </ul>
);

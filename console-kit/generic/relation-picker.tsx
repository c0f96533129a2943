import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import type { Page } from '../api/types.ts';
import { Field, type FieldProps } from '../components/field.tsx';
import { labelOfRow, searched } from '../resources/relations.ts';
import type { Row } from '../resources/resource.ts';
import { type Choices, useChoices } from './use-choices.ts';

interface Props extends FieldProps {
  /** below /api/v2/, with filters: `credentials/?kind=ssh` */
  list: string;
  /** an id as text, '' for none */
  value: string;
  onValue: (value: string) => void;
  /** what the value is called, where that is known already */
  known?: string | undefined;
  /** without label, hint and errors: part of something that has its own */
  bare?: boolean;
}

/** A record of a list, found by typing: a combobox as the ARIA practices describe it. */
export function RelationPicker({ bare, ...props }: Props) {
  if (bare) return <Box {...props} wiring={{ 'aria-label': props.label, name: props.name }} />;
  const { label, name, hint, errors, required, preset } = props;
  return (
    <Field label={label} name={name} hint={hint} errors={errors} required={required ?? false} preset={preset ?? false}>
      {(wiring) => <Box {...props} wiring={{ ...wiring }} />}
    </Field>
  );
}

type BoxProps = Omit<Props, 'bare'> & { wiring: Record<string, unknown> };

function Box({ list, value, onValue, known, label, wiring }: BoxProps) {
  const id = useId();
  const choices = useChoices(list);
  const name = useNameOf(list, value, known);
  const pick = (row: Row) => {
    name.remember(String(row.id), labelOfRow(row));
    choices.leave();
    onValue(String(row.id));
  };
  const { rows, open, active } = choices;
  return (
    <div class="picker">
      <input
        {...wiring}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={open && rows.length ? `${id}-${active}` : undefined}
        value={choices.typed ?? name.text}
        placeholder={t`Type to search`}
        onInput={({ currentTarget }) => {
          choices.type(currentTarget.value);
          if (currentTarget.value === '' && value !== '') onValue('');
        }}
        onClick={choices.show}
        onKeyDown={(event) => byKey(event, choices, pick)}
        onBlur={choices.leave}
      />
      <Offered id={id} label={label} choices={choices} pick={pick} />
    </div>
  );
}

/** Nothing else happens by these keys while the list is open. */
function byKey(event: KeyboardEvent, choices: Choices, pick: (row: Row) => void): void {
  const { key } = event;
  if (key === 'ArrowDown' || key === 'ArrowUp') choices.step(key === 'ArrowDown' ? 1 : -1);
  else if (key === 'Escape' && choices.open) choices.leave();
  else if (key === 'Enter' && choices.open) {
    const row = choices.rows[choices.active];
    if (row) pick(row);
    else if (choices.left > 0) choices.more();
  } else return;
  event.preventDefault();
}

/** What stands in the box while nobody types. */
function useNameOf(list: string, value: string, known: string | undefined) {
  const chosen = useSignal<{ value: string; text: string } | null>(null);
  const mine = chosen.value?.value === value ? chosen.value.text : known;
  const { data } = useQuery<Page<Row>>(
    value && mine === undefined ? searched(list.split('?')[0]!, { id: value }) : null,
  );
  return {
    text: value === '' ? '' : (mine ?? data.value?.results.map(labelOfRow)[0] ?? value),
    remember: (id: string, text: string) => void (chosen.value = { value: id, text }),
  };
}

const inSight = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' });

/** What tells it from others of the same name. */
const moreOf = ({ summary_fields: named }: Row): string =>
  [named?.['credential_type']?.name, named?.['organization']?.name].filter(Boolean).join(' · ');

interface OfferedProps {
  id: string;
  label: string;
  choices: Choices;
  pick: (row: Row) => void;
}

const Offered = ({ id, label, choices: { rows, open, active, left, more, none, problem }, pick }: OfferedProps) => (
  <>
    <ul id={`${id}-list`} role="listbox" aria-label={label} hidden={!open || !rows.length}>
      {rows.map((row, i) => (
        <li
          key={row.id}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === active}
          ref={i === active ? inSight : null}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => pick(row)}
        >
          {labelOfRow(row)}
          <span class="muted sub">{moreOf(row)}</span>
        </li>
      ))}
      {left > 0 && (
        <li
          id={`${id}-${rows.length}`}
          role="option"
          aria-selected={rows.length === active}
          ref={rows.length === active ? inSight : null}
          onMouseDown={(event) => event.preventDefault()}
          onClick={more}
        >{t`Show more of ${left} others`}</li>
      )}
    </ul>
    {none && <p class="hint" role="status">{t`Nothing fits.`}</p>}
    {problem && <p class="hint">{problem}</p>}
  </>
);

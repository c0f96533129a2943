import { t } from '../texts/t.ts';
import { type Signal, useSignal } from '@preact/signals';
import { useId, useLayoutEffect } from 'preact/hooks';
import { RelationPicker } from './relation-picker.tsx';
import { go, place } from '../router.ts';
import { relationOf } from '../resources/relations.ts';
import { useNames } from '../resources/use-names.ts';
import type { FieldOption, Resource } from '../resources/resource.ts';
import { addressWith, addressWithout, chipText, filterOf, type ListQuery } from './list-query.ts';

type Filtered = Pick<Resource, 'many' | 'filters' | 'relations'>;

interface Props {
  resource: Filtered;
  fields: Record<string, FieldOption>;
  asked: ListQuery;
}

const offered = new Set(['string', 'choice', 'boolean', 'id', 'datetime', 'integer']);
const never = new Set(['id', 'type', 'url']);

export function FilterBar({ resource, fields, asked }: Props) {
  const { path, query } = place.value;
  const text = useSignal(asked.search);
  // at once: an effect comes after the page is shown, and would take away what was typed by then
  useLayoutEffect(() => void (text.value = asked.search), [asked.search]);
  const calledOf = useCalled(asked.filters, fields, resource.relations);
  // OPTIONS keeps some back for the sake of other clients: those that are named here do filter
  const names = resource.filters
    ? resource.filters.filter((name) => fields[name])
    : Object.keys(fields).filter(
        (name) => fields[name]!.filterable && offered.has(fields[name]!.type) && !never.has(name),
      );
  return (
    <div class="filters">
      <form
        role="search"
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          go(addressWith(path, query, { search: text.value }));
        }}
      >
        <label>
          <span class="visually-hidden">{t`Search ${resource.many}`}</span>
          <input
            type="search"
            value={text.value}
            placeholder={t`Search ${resource.many}`}
            onInput={(event) => void (text.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit">{t`Search`}</button>
      </form>
      {names.length > 0 && <AddFilter names={names} fields={fields} resource={resource} />}
      {asked.filters.length + (asked.search ? 1 : 0) > 0 && (
        <ul class="chips" aria-label={t`Filters`}>
          {asked.search && <Chip text={t`Search: ${asked.search}`} href={addressWith(path, query, { search: null })} />}
          {asked.filters.map(([name, value]) => (
            <Chip
              key={`${name}=${value}`}
              text={chipText(name, value, fields, calledOf(name, value))}
              href={addressWithout(path, query, name, value)}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** For filters by other records: how those are called, as far as it is known. */
function useCalled(filters: ListQuery['filters'], fields: Record<string, FieldOption>, own: Resource['relations']) {
  const listOf = (name: string) => {
    const [, field = ''] = /^(\w+?)(?:__id)?(?:__in|__exact)?$/.exec(name) ?? [];
    return fields[field]?.type === 'id' ? relationOf(field, own) : undefined;
  };
  const idsOf = (value: string) => value.split(',').filter((id) => /^\d+$/.test(id));
  const wanted: Record<string, string[]> = {};
  for (const [name, value] of filters) {
    const list = listOf(name);
    if (list && idsOf(value).length) wanted[list] = [...(wanted[list] ?? []), ...idsOf(value)];
  }
  const nameOf = useNames(wanted);
  return (name: string, value: string) => {
    const list = listOf(name);
    return list && value.replaceAll(/\d+/g, (id) => nameOf(list, id) ?? id).replaceAll(',', ', ');
  };
}

const Chip = ({ text, href }: { text: string; href: string }) => (
  <li class="chip">
    <span>{text}</span>
    <a href={href} aria-label={t`Remove filter ${text}`}>
      ×
    </a>
  </li>
);

function AddFilter({
  names,
  fields,
  resource,
}: {
  names: string[];
  fields: Record<string, FieldOption>;
  resource: Filtered;
}) {
  const { path, query } = place.value;
  const id = useId();
  const field = useSignal('');
  const value = useSignal('');
  const option = fields[field.value];
  const add = (event: Event) => {
    event.preventDefault();
    if (!option || value.value === '') return;
    const to = addressWith(path, query, filterOf(field.value, option, value.value));
    choose('');
    go(to);
  };
  const choose = (name: string) => {
    field.value = name;
    value.value = '';
  };
  return (
    <form class="add-filter" onSubmit={add}>
      <label class="visually-hidden" for={id}>{t`Filter by`}</label>
      <select id={id} value={field.value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{t`Filter by …`}</option>
        {names.map((name) => (
          <option key={name} value={name}>
            {fields[name]?.label}
          </option>
        ))}
      </select>
      {option && <FilterValue option={option} field={field.value} resource={resource} value={value} />}
      {option && <button type="submit">{t`Add filter`}</button>}
    </form>
  );
}

interface ValueProps {
  option: FieldOption;
  field: string;
  resource: Filtered;
  value: Signal<string>;
}

function FilterValue({ option, field, resource, value: typed }: ValueProps) {
  const value = typed.value;
  const onValue = (next: string) => void (typed.value = next);
  const label = t`Value of ${option.label}`;
  const list = relationOf(field, resource.relations);
  if (option.type === 'id' && list)
    return <RelationPicker label={label} bare name={field} list={list} value={value} onValue={onValue} />;
  const choices = option.type === 'boolean' ? booleans : option.choices;
  if (choices)
    return (
      <select aria-label={label} value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{t`Choose …`}</option>
        {choices
          .filter(([choice]) => choice !== '')
          .map(([choice, text]) => (
            <option key={choice} value={choice}>
              {text}
            </option>
          ))}
      </select>
    );
  const type = option.type === 'datetime' ? 'date' : option.type === 'integer' ? 'number' : 'text';
  return (
    <input
      aria-label={label}
      type={type as 'text'}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  );
}

const booleans: [string, string][] = [
  ['true', t`Yes`],
  ['false', t`No`],
];

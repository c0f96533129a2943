import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { useQuery } from '../api/query.ts';
import type { Page } from '../api/types.ts';
import { type Choice, ChoicesField, type FieldProps, SelectField } from '../components/field.tsx';
import { labelOfRow, searched } from '../resources/relations.ts';
import type { Row } from '../resources/resource.ts';
import { PickedRecords } from './picked-records.tsx';
import { RelationPicker } from './relation-picker.tsx';

/** More than that nobody looks through: they are found by typing. */
const few = 50;

interface OneProps extends FieldProps {
  /** below /api/v2/, with filters */
  list: string;
  /** an id as text, '' for none */
  value: string;
  onValue: (value: string) => void;
  /** shown for nothing chosen */
  empty?: string;
}

/** One record of a list: shown at once while they are few. Of a list that the service does not have there is no field. */
export function RecordField({ list, empty = t`Choose one`, ...field }: OneProps) {
  const { choices, gone, problem } = useFew(list);
  if (gone) return null;
  const shown = { ...field, preset: field.preset ?? field.value !== '', ...hintOf(problem, field.hint) };
  if (choices === 'many') return <RelationPicker {...shown} list={list} />;
  return <SelectField {...shown} choices={choices ?? []} empty={choices ? empty : t`Loading …`} />;
}

interface ManyProps extends Omit<FieldProps, 'required' | 'preset'> {
  list: string;
  values: readonly string[];
  onValues: (values: string[]) => void;
}

/** Several records of a list. */
export function RecordsField({ list, ...field }: ManyProps) {
  const { choices, gone, problem } = useFew(list);
  if (gone) return null;
  const shown = { ...field, ...hintOf(problem, field.hint) };
  if (choices === 'many') return <PickedRecords {...shown} list={list} />;
  return <ChoicesField {...shown} choices={choices ?? []} />;
}

const hintOf = (problem: string | undefined, hint: ComponentChildren) =>
  problem || hint ? { hint: problem ?? hint } : {};

/** What there is to choose from, or that it is too much to be shown. */
function useFew(list: string): { choices: Choice[] | 'many' | undefined; gone: boolean; problem: string | undefined } {
  const order: Record<string, string> = list.includes('order_by=') ? {} : { order_by: 'name' };
  const { data, error } = useQuery<Page<Row>>(searched(list, { ...order, page_size: String(few) }));
  const found = data.value;
  const choices = found && (found.count > found.results.length ? 'many' : found.results.map(choiceOf(list)));
  return { choices, gone: error.value?.status === 404, problem: error.value?.message };
}

/** Credentials of all types need to say theirs. */
const choiceOf =
  (list: string) =>
  (row: Row): Choice => {
    const type = list.includes('credential_type') ? undefined : row.summary_fields?.['credential_type']?.name;
    return { value: String(row.id), label: type ? `${labelOfRow(row)} (${type})` : labelOfRow(row) };
  };

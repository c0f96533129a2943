import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { Status } from '../components/status.tsx';
import { When } from '../components/time.tsx';
import { linkedPage } from '../resources/links.ts';
import { labelOfRow } from '../resources/relations.ts';
import type { FieldOption, Row } from '../resources/resource.ts';

const nothing = <span class="muted">–</span>;

interface Props {
  row: Row;
  field: string;
  option?: FieldOption | undefined;
  /** times of the clock here in sight */
  exact?: boolean;
}

/** A field of a record as people read it: links by name, choices by label, times as distance. */
export function Cell({ row, field, option, exact }: Props) {
  const value = row[field];
  const linked = row.summary_fields?.[field];
  if (linked?.id !== undefined) return <Linked row={row} field={field} linked={linked} />;
  if (field === 'status') return <Status status={String(value)} />;
  return <>{shown(value, option, exact)}</>;
}

function Linked({ row, field, linked }: { row: Row; field: string; linked: Record<string, any> }) {
  const to = linkedPage(row['related'], field);
  return to ? <a href={to}>{labelOfRow(linked)}</a> : <>{labelOfRow(linked)}</>;
}

function shown(value: unknown, option: FieldOption | undefined, exact?: boolean): ComponentChildren {
  if (value === null || value === undefined || value === '') return nothing;
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  const choice = option?.choices?.find(([one]) => String(one) === String(value));
  if (choice) return choice[1];
  if (option?.type === 'datetime') return <When at={String(value)} exact={exact} />;
  if (typeof value === 'object') return <Code text={JSON.stringify(value, null, 2)} />;
  const text = String(value);
  return text.includes('\n') || option?.type === 'json' ? <Code text={text} /> : text;
}

/** Reached by keyboard, since it scrolls. */
export const Code = ({ text }: { text: string }) => (
  <pre class="value" tabIndex={0}>
    {text}
  </pre>
);

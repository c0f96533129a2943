import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Fieldset } from './field-notes.tsx';

interface Props<Row> {
  label: string;
  /** what each of them is called: `window` */
  one: string;
  hint?: ComponentChildren;
  errors?: readonly string[] | undefined;
  rows: readonly Row[];
  onRows: (rows: Row[]) => void;
  /** one that is added */
  fresh: () => Row;
  /** so many at most */
  most?: number;
  /** the fields of one; `change` takes what becomes of it */
  row: (row: Row, index: number, change: (part: Partial<Row>) => void) => ComponentChildren;
}

/** A list of things that are filled in one below the other, each with a button that takes it away. */
export function RowsField<Row>({ label, one, hint, errors, rows, onRows, fresh, most, row }: Props<Row>) {
  const box = useRef<HTMLFieldSetElement>(null);
  const change = (index: number) => (part: Partial<Row>) =>
    onRows(rows.map((old, at) => (at === index ? { ...old, ...part } : old)));
  const remove = (index: number) => {
    onRows(rows.filter((_, at) => at !== index));
    // its button goes with it, and whoever uses keys would begin at the top of the page again
    requestAnimationFrame(() => focusNear(box.current, index));
  };
  return (
    <Fieldset box={box} label={label} hint={hint} errors={errors}>
      {rows.map((each, index) => (
        <div class="card" key={index} role="group" aria-label={`${one} ${index + 1}`}>
          {row(each, index, change(index))}
          <button type="button" onClick={() => remove(index)}>{t`Remove ${one} ${index + 1}`}</button>
        </div>
      ))}
      {(most === undefined || rows.length < most) && (
        <button type="button" onClick={() => onRows([...rows, fresh()])}>{t`Add ${one}`}</button>
      )}
    </Fieldset>
  );
}

/** The button of the row that came in its place, or of the one before, or that which adds one. */
function focusNear(box: HTMLFieldSetElement | null, index: number): void {
  const removes = box?.querySelectorAll<HTMLElement>(':scope > .card > button:last-child') ?? [];
  const near = removes[Math.min(index, removes.length - 1)] ?? box?.querySelector<HTMLElement>(':scope > button');
  near?.focus();
}

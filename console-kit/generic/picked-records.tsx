import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { describedBy, FieldNotes } from '../components/field-notes.tsx';
import { useNames } from '../resources/use-names.ts';
import { RelationPicker } from './relation-picker.tsx';

interface Props {
  label: string;
  name: string;
  hint?: ComponentChildren;
  errors?: readonly string[] | undefined;
  list: string;
  values: readonly string[];
  onValues: (values: string[]) => void;
}

/** Several records, found by typing one after the other. */
export function PickedRecords({ label, name, hint, errors = [], list, values, onValues }: Props) {
  const id = useId();
  const part = useRef<HTMLFieldSetElement>(null);
  const nameOf = useNames({ [list]: values });
  const takeOff = (value: string) => {
    onValues(values.filter((one) => one !== value));
    // the button that had the focus goes
    part.current?.querySelector('input')?.focus();
  };
  return (
    <fieldset
      ref={part}
      class={errors.length ? 'field invalid' : 'field'}
      aria-describedby={describedBy({ id, hint, errors })}
    >
      <legend>{label}</legend>
      {values.length > 0 && (
        <ul class="plain chosen" aria-label={label}>
          {values.map((value) => (
            <li key={value}>
              <span>{nameOf(list, value) ?? value}</span>
              <button type="button" onClick={() => takeOff(value)}>
                {t`Take off`}
                <span class="visually-hidden"> {nameOf(list, value) ?? value}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <RelationPicker
        bare
        name={name}
        label={t`Add to ${label.toLowerCase()}`}
        list={list}
        value=""
        onValue={(value) => void (value && !values.includes(value) && onValues([...values, value]))}
      />
      <FieldNotes id={id} hint={hint} errors={errors} />
    </fieldset>
  );
}

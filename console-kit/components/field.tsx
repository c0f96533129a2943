import { t } from '../texts/t.ts';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { describedBy, FieldNotes, Fieldset } from './field-notes.tsx';

export interface FieldProps {
  label: string;
  name: string;
  hint?: ComponentChildren;
  errors?: readonly string[] | undefined;
  required?: boolean;
  /** it has a value of its own and so need not be said to be optional */
  preset?: boolean;
}

/** What ties a control to its label, hint and error, for eyes and for screen readers alike. */
interface Wiring {
  id: string;
  name: string;
  required: boolean | undefined;
  'aria-invalid': 'true' | undefined;
  'aria-describedby': string | undefined;
}

export function Field({
  label,
  name,
  hint,
  errors = [],
  required,
  preset,
  children,
}: FieldProps & { children: (wiring: Wiring) => ComponentChildren }) {
  const id = useId();
  const wiring: Wiring = {
    id,
    name,
    required,
    'aria-invalid': errors.length ? 'true' : undefined,
    'aria-describedby': describedBy({ id, hint, errors }),
  };
  return (
    <div class={errors.length ? 'field invalid' : 'field'}>
      <label for={id}>
        {label}
        {!required && !preset && <span class="optional"> {t`(optional)`}</span>}
      </label>
      {children(wiring)}
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

export interface TextProps extends FieldProps {
  value: string;
  onValue: (value: string) => void;
  type?: 'text' | 'password' | 'number' | 'url';
  autocomplete?: string;
  placeholder?: string;
  /** more than one makes it a text area */
  lines?: number;
  code?: boolean;
}

export function TextField({
  value,
  onValue,
  type = 'text',
  autocomplete,
  placeholder,
  lines = 1,
  code,
  ...field
}: TextProps) {
  const common = {
    value,
    placeholder,
    autocomplete: (autocomplete ?? 'off') as never,
    spellcheck: false,
    class: code ? 'code' : undefined,
    onInput: (event: Event) => onValue((event.target as HTMLInputElement).value),
  };
  return (
    <Field {...field}>
      {(wiring) =>
        lines > 1 ? (
          <textarea rows={lines} {...wiring} {...common} />
        ) : (
          <input type={type as 'text'} {...wiring} {...common} />
        )
      }
    </Field>
  );
}

export interface Choice {
  value: string;
  label: string;
}

interface SelectProps extends FieldProps {
  value: string;
  onValue: (value: string) => void;
  choices: readonly Choice[];
  /** shown for nothing chosen */
  empty?: string;
}

export function SelectField({ value, onValue, choices, empty, ...field }: SelectProps) {
  return (
    <Field {...field}>
      {(wiring) => (
        <select {...wiring} value={value} onChange={(event) => onValue((event.target as HTMLSelectElement).value)}>
          {empty !== undefined && <option value="">{empty}</option>}
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField({
  label,
  name,
  checked,
  onValue,
  busy = false,
  hint,
  errors = [],
}: Omit<FieldProps, 'required' | 'preset'> & {
  checked: boolean;
  onValue: (checked: boolean) => void;
  /** while what it says is being stored */
  busy?: boolean;
}) {
  const id = useId();
  return (
    <div class={errors.length ? 'field check invalid' : 'field check'}>
      <input
        type="checkbox"
        id={id}
        name={name}
        checked={checked}
        aria-busy={busy ? 'true' : undefined}
        aria-invalid={errors.length ? 'true' : undefined}
        aria-describedby={describedBy({ id, hint, errors })}
        onChange={(event) => onValue((event.target as HTMLInputElement).checked)}
      />
      <label for={id}>{label}</label>
      <FieldNotes id={id} hint={hint} errors={errors} />
    </div>
  );
}

/** Several out of a list. */
export function ChoicesField({
  label,
  name,
  values,
  onValues,
  choices,
  errors,
  hint,
}: Omit<FieldProps, 'required' | 'preset'> & {
  values: readonly string[];
  onValues: (values: string[]) => void;
  choices: readonly Choice[];
}) {
  const toggle = (value: string, on: boolean) =>
    onValues(on ? [...values, value] : values.filter((chosen) => chosen !== value));
  return (
    <Fieldset label={label} hint={hint} errors={errors}>
      {choices.length === 0 && <p class="hint">{t`There is none to choose from.`}</p>}
      <div class="choices">
        {choices.map((choice) => (
          <label key={choice.value} class="choice">
            <input
              type="checkbox"
              name={name}
              value={choice.value}
              checked={values.includes(choice.value)}
              onChange={(event) => toggle(choice.value, (event.target as HTMLInputElement).checked)}
            />
            {choice.label}
          </label>
        ))}
      </div>
    </Fieldset>
  );
}

import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';

interface Notes {
  /** of the field: what is said of it has ids made of it */
  id: string;
  hint?: ComponentChildren;
  errors: readonly string[];
}

/** For `aria-describedby` of what `FieldNotes` stands below. */
export const describedBy = ({ id, hint, errors }: Notes): string | undefined =>
  [hint ? `${id}-hint` : '', errors.length ? `${id}-error` : ''].filter(Boolean).join(' ') || undefined;

/** What helps with a field, and what is wrong with it. */
export const FieldNotes = ({ id, hint, errors }: Notes) => (
  <>
    {hint && (
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {errors.length > 0 && (
      <p class="error" id={`${id}-error`}>
        {errors.join(' ')}
      </p>
    )}
  </>
);

interface FieldsetProps {
  label: string;
  hint?: ComponentChildren;
  errors?: readonly string[] | undefined;
  box?: Ref<HTMLFieldSetElement>;
  children: ComponentChildren;
}

/** Several controls that are one field together; what is wrong with it can be led to and is told with it. */
export function Fieldset({ label, hint, errors = [], box, children }: FieldsetProps) {
  const id = useId();
  return (
    <fieldset
      ref={box ?? null}
      class={errors.length ? 'field invalid' : 'field'}
      aria-invalid={errors.length ? 'true' : undefined}
      aria-describedby={describedBy({ id, hint, errors })}
      tabIndex={errors.length ? -1 : undefined}
    >
      <legend>{label}</legend>
      <FieldNotes id={id} hint={hint} errors={[]} />
      {children}
      <FieldNotes id={id} errors={errors} />
    </fieldset>
  );
}

import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';
import { describedBy, FieldNotes } from './field-notes.tsx';

interface Props {
  label: string;
  hint?: ComponentChildren;
  errors?: readonly string[] | undefined;
  box?: Ref<HTMLFieldSetElement>;
  children: ComponentChildren;
}

/** Several controls that are one field together; what is wrong with it can be led to and is told with it. */
export function Fieldset({ label, hint, errors = [], box, children }: Props) {
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

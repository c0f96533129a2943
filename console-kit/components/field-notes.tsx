import type { ComponentChildren } from 'preact';

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

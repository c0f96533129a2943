import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { type FieldProps, TextField } from './field.tsx';

/** Stands for a stored secret, which nobody is shown; sent back, it keeps it. */
export const masked = '$encrypted$';

interface Props extends FieldProps {
  /** what is typed, `masked` for what is stored, '' for none */
  value: string;
  onValue: (value: string) => void;
  lines?: number;
  code?: boolean;
  /** what is stored can be replaced, but not removed */
  lasting?: boolean;
}

/** What is stored is never the text of the control: somebody who types there would make it part of another secret. */
export function SecretField({ value, onValue, lasting, hint, ...field }: Props) {
  const stored = useRef(value === masked).current;
  const removed = useSignal(false);
  const toggle = () => {
    removed.value = !removed.value;
    onValue(removed.value ? '' : masked);
  };
  const empty = stored && !removed.value ? masked : '';
  return (
    <div class="secret">
      <TextField
        {...field}
        hint={stored ? [stateOf(value), hint].filter(Boolean).join(' ') : hint}
        type="password"
        autocomplete="new-password"
        value={value === masked ? '' : value}
        onValue={(typed) => onValue(typed === '' ? empty : typed)}
      />
      {stored && !lasting && !field.required && (
        <button type="button" class="link" onClick={toggle}>
          {t`${removed.value ? t`Keep` : t`Remove`} what is stored`}
          <span class="visually-hidden">: {field.label}</span>
        </button>
      )}
    </div>
  );
}

function stateOf(value: string): string {
  if (value === masked) return t`A value is stored: leave this empty to keep it, or type another.`;
  return value === '' ? t`What is stored will be removed.` : t`What is stored will be replaced.`;
}

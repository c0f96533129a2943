import { useSignal } from '@preact/signals';
import type { FieldErrors } from '../api/http.ts';

/** What a form of a few texts has: them by field, the errors of the service, and what ties a control to both. */
export function useFields<K extends string>(initial: Record<K, string>) {
  const values = useSignal<Record<K, string>>(initial);
  const errors = useSignal<FieldErrors>({});
  const set = (changes: Partial<Record<K, string>>) => void (values.value = { ...values.value, ...changes });
  const bind = (name: K) => ({
    name,
    value: values.value[name],
    errors: errors.value[name],
    onValue: (value: string) => set({ [name]: value } as Record<K, string>),
  });
  return { values, errors, set, bind };
}

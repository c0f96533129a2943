import { useSignal } from '@preact/signals';
import { type FieldErrors, get } from '../../api/http.ts';
import type { Page } from '../../api/types.ts';

/** What the forms of the steps have in common: texts by field and the errors of the service. */
export function useFields<K extends string>(initial: Record<K, string>) {
  const values = useSignal<Record<K, string>>(initial);
  const errors = useSignal<FieldErrors>({});
  const bind = (name: K) => ({
    name,
    value: values.value[name],
    errors: errors.value[name],
    onValue: (value: string) => void (values.value = { ...values.value, [name]: value }),
  });
  return { values, errors, bind };
}

/** Where new things go: the first organization of those that the caller sees. */
export async function defaultOrganization(): Promise<number | undefined> {
  const { results } = await get<Page<{ id: number }>>('organizations/?order_by=id&page_size=1', { quiet: true });
  return results[0]?.id;
}

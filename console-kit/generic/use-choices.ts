import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import type { Page } from '../api/types.ts';
import { nameFieldOf, searched } from '../resources/relations.ts';
import type { Row } from '../resources/resource.ts';

const most = 20;
const pauseMs = 200;

/** What somebody types into a picker, and the records of the list that fit it. */
export function useChoices(list: string) {
  const typed = useSignal<string | null>(null);
  const wanted = useSignal('');
  const open = useSignal(false);
  const active = useSignal(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const nameField = nameFieldOf(list);
  const narrowed = wanted.value ? { [`${nameField}__icontains`]: wanted.value } : {};
  const query = searched(list, { order_by: nameField, page_size: String(most), ...narrowed });
  const { data, error } = useQuery<Page<Row>>(open.value ? query : null);
  // what is typed and not asked for yet must not be answered by what was found for something else
  const rows = (typed.value ?? '') === wanted.value ? (data.value?.results ?? []) : [];
  return {
    typed: typed.value,
    open: open.value,
    active: active.value,
    rows,
    none: open.value && data.value?.count === 0,
    problem: error.value?.message,
    show: () => void (open.value = true),
    step(by: number) {
      if (open.value) active.value = (active.value + by + rows.length) % Math.max(1, rows.length);
      open.value = true;
    },
    type(text: string) {
      typed.value = text;
      open.value = true;
      active.value = 0;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void (wanted.value = text), pauseMs);
    },
    leave() {
      clearTimeout(timer.current);
      open.value = false;
      typed.value = null;
      wanted.value = '';
    },
  };
}

export type Choices = ReturnType<typeof useChoices>;

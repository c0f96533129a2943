import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { get } from '../api/http.ts';
import { useRead } from '../api/query.ts';
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
  const { found, problem, more } = usePages(open.value ? query : null);
  // what is typed and not asked for yet must not be answered by what was found for something else
  const rows = (typed.value ?? '') === wanted.value ? (found?.rows ?? []) : [];
  const left = rows.length ? found!.count - rows.length : 0;
  const places = rows.length + (left > 0 ? 1 : 0);
  return {
    typed: typed.value,
    open: open.value,
    active: active.value,
    rows,
    /** so many fit besides: the place after the last row brings the next of them */
    left,
    more,
    none: open.value && found?.count === 0,
    problem,
    show: () => void (open.value = true),
    step(by: number) {
      if (open.value) active.value = (active.value + by + places) % Math.max(1, places);
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
      active.value = 0;
    },
  };
}

export type Choices = ReturnType<typeof useChoices>;

interface Found {
  query: string;
  rows: Row[];
  count: number;
}

/** The first page of a list, and each `more` one further behind it. */
function usePages(query: string | null) {
  const page = useSignal({ query, number: 1 });
  const kept = useRef<Found | null>(null);
  const number = page.value.query === query ? page.value.number : 1;
  const read = useCallback(
    async (quiet: boolean) => {
      const { results, count } = await get<Page<Row>>(number > 1 ? `${query}&page=${number}` : query!, { quiet });
      const before = kept.current?.query === query ? kept.current.rows.slice(0, (number - 1) * most) : [];
      return (kept.current = { query: query!, rows: [...before, ...results], count });
    },
    [query, number],
  );
  const { data, error } = useRead<Found>(query === null ? null : read);
  // those before stay while the next are read
  const found = data.value ?? (kept.current?.query === query ? kept.current : undefined);
  const more = () => void (page.value = { query, number: number + 1 });
  return { found, problem: error.value?.message, more };
}

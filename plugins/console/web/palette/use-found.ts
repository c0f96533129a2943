import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import {
  apiOf,
  get,
  go,
  may,
  nameOf,
  type Page,
  pageOf,
  type Resource,
  type Row,
  type Run,
  runNoun,
  runPath,
  t,
} from '@tapline/console-kit';
import { resources } from '../resources/registry.ts';
import type { Entry } from './entry.ts';

const pauseMs = 200;
const mostOfAKind = 4;

/** Things with a name that somebody gave them; what only tells what happened is found on its own page. */
const named = resources.filter(
  ({ path, columns, nameField = 'name' }) => columns[0] === nameField && path !== 'notifications',
);
const launchable = new Set(['job_template', 'workflow_job_template']);

/** Objects of every kind whose name holds what is typed, as far as the caller may see them; a number is that of a run. */
export function useFound(typed: string): { found: readonly Entry[]; busy: boolean } {
  const found = useSignal<readonly Entry[]>([]);
  const busy = useSignal(false);
  useEffect(() => {
    const text = typed.trim();
    found.value = [];
    busy.value = text !== '';
    if (text === '') return;
    const stop = new AbortController();
    const add = (entries: Entry[]) => void (!stop.signal.aborted && (found.value = [...found.peek(), ...entries]));
    const ask = async () => {
      const asked = named.map(async (resource) => add(await search(resource, text, stop.signal)));
      await Promise.allSettled([...asked, runNumbered(text, stop.signal).then(add)]);
      if (!stop.signal.aborted) busy.value = false;
    };
    const timer = setTimeout(() => void ask(), pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [typed]);
  return { found: found.value, busy: busy.value };
}

async function search(resource: Resource, text: string, signal: AbortSignal): Promise<Entry[]> {
  const { nameField = 'name', one } = resource;
  const query = new URLSearchParams({
    [`${nameField}__icontains`]: text,
    order_by: nameField,
    page_size: String(mostOfAKind),
    count_disabled: '1',
  });
  const { results } = await get<Page<Row>>(`${apiOf(resource)}?${query}`, { signal });
  return results.flatMap((row) => {
    const to = pageOf(row.type, row.id);
    if (!to) return [];
    const label = nameOf(resource, row);
    const kind = one.charAt(0).toUpperCase() + one.slice(1);
    const shown: Entry = { id: to, group: 'found', label, kind, act: () => go(to) };
    if (!launchable.has(row.type) || !may(row, 'start')) return [shown];
    const launch: Entry = { ...shown, id: `launch ${to}`, label: t`Launch ${label}`, act: () => go(`${to}/launch`) };
    return [shown, launch];
  });
}

async function runNumbered(text: string, signal: AbortSignal): Promise<Entry[]> {
  const [, number] = /^(?:job |run )?#?(\d{1,15})$/i.exec(text) ?? [];
  if (!number) return [];
  const { results } = await get<Page<Run>>(`unified_jobs/?id=${number}`, { signal });
  return results.map((run) => ({
    id: `run ${run.id}`,
    group: 'found',
    label: run.name,
    kind: `${runNoun(run.type)} ${run.id}`,
    act: () => go(runPath(run)),
  }));
}

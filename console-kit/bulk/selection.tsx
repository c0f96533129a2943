import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Column } from '../components/table.tsx';
import { type BulkAction, howMany, type Named } from './action.ts';
import { get } from '../api/http.ts';
import { attempt } from '../components/attempt.ts';
import { useLauncher } from '../runs/launching.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { freeze, type Frozen } from './find-all.ts';
import type { Chosen } from './use-bulk.ts';

interface Props<T> {
  names: Named<T>;
  /** those of the page that is shown */
  rows: readonly T[];
  actions: readonly BulkAction<T>[];
  /** the list that the page is of, below /api/v2/, and how many it holds on all its pages */
  all?: { list: string; count: number };
  reload: () => Promise<void>;
  /** draws the table, with this as its first column */
  table: (select: Column<T>) => ComponentChildren;
}

/** A table of which several can be chosen, those of the page or all that the list holds, and what can be done with them. */
export function Selection<T extends { id: number }>({ names, rows, actions, all, reload, table }: Props<T>) {
  const ids = useSignal<ReadonlySet<number>>(new Set());
  /** all that the list held when somebody chose them, whatever has come since */
  const everything = useSignal<Frozen | null>(null);
  const launch = useLauncher();
  const asked = useSignal<{ action: BulkAction<T>; chosen: Chosen<T> } | null>(null);
  // others may have come to stand here since
  const selected = rows.filter(({ id }) => ids.value.has(id));
  const whole = all !== undefined && all.count > rows.length && selected.length === rows.length ? all : null;
  const far = everything.value?.list === all?.list ? everything.value : null;
  const choose = (next: ReadonlySet<number>) => {
    everything.value = null;
    ids.value = next;
  };
  const chooseAll = (list: string) =>
    attempt(async () => void (everything.value = await freeze(list, get)), { whose: t`They could not be read` });
  const done = async (left: readonly T[]) => {
    choose(new Set(left.map(({ id }) => id)));
    await reload();
  };
  return (
    <>
      <div class="bulk" role="group" aria-label={t`Selected ${names.many}`}>
        <span class="muted" role="status">
          {far
            ? t`All ${howMany(names, far.count)} that fit are selected`
            : selected.length
              ? t`${selected.length} of ${rows.length} selected`
              : t`None selected`}
        </span>
        {far ? (
          <button
            type="button"
            class="link"
            onClick={() => void (everything.value = null)}
          >{t`Select only this page`}</button>
        ) : (
          whole && (
            <button type="button" class="link" onClick={() => void chooseAll(whole.list)}>
              {t`Select all ${howMany(names, whole.count)} that fit`}
            </button>
          )
        )}
        {actions.map((action) => {
          const fitting = selected.filter(action.fits);
          return (
            <button
              key={action.verb}
              type="button"
              disabled={!far && fitting.length === 0}
              onClick={() => void (asked.value = { action, chosen: far ?? { rows: fitting } })}
            >
              {action.verb} {far ? t`all` : fitting.length || ''}
            </button>
          );
        })}
      </div>
      {table(selectColumn(names, rows, ids.value, choose))}
      {asked.value && (
        <BulkDialog
          {...asked.value}
          names={names}
          launch={launch}
          onDone={done}
          onClose={() => void (asked.value = null)}
        />
      )}
    </>
  );
}

function selectColumn<T extends { id: number }>(
  names: Named<T>,
  rows: readonly T[],
  ids: ReadonlySet<number>,
  choose: (ids: ReadonlySet<number>) => void,
): Column<T> {
  const set = (of: readonly T[], on: boolean) => {
    const next = new Set(ids);
    for (const { id } of of)
      if (on) next.add(id);
      else next.delete(id);
    choose(next);
  };
  const box = (label: string, of: readonly T[]) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={of.every(({ id }) => ids.has(id))}
      onChange={(event) => set(of, event.currentTarget.checked)}
    />
  );
  return {
    label: t`Select`,
    narrow: true,
    head: box(t`Select all of this page`, rows),
    cell: (row) => box(t`Select ${names.label(row)}`, [row]),
  };
}

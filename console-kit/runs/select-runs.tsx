import { type Signal, useSignal } from '@preact/signals';
import type { Run } from '../api/types.ts';
import type { Column } from '../components/table.tsx';
import { type BulkAction, bulkActions } from './bulk-actions.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { RunsTable } from './runs-table.tsx';

interface Props {
  caption: string;
  runs: readonly Run[];
  reload: () => Promise<void>;
}

/** A list of runs of which several can be canceled or deleted at once. */
export function SelectRuns({ caption, runs, reload }: Props) {
  const ids = useSignal<ReadonlySet<number>>(new Set());
  /** what is asked about; the runs as they were when it was */
  const asked = useSignal<{ action: BulkAction; runs: readonly Run[] } | null>(null);
  // others may have come to stand here since
  const selected = runs.filter(({ id }) => ids.value.has(id));
  const done = async (failed: readonly Run[]) => {
    ids.value = new Set(failed.map(({ id }) => id));
    await reload();
  };
  return (
    <>
      <div class="bulk" role="group" aria-label="Selected runs">
        <span class="muted" role="status">
          {selected.length ? `${selected.length} of ${runs.length} selected` : 'None selected'}
        </span>
        {bulkActions.map((action) => {
          const fitting = selected.filter(action.fits);
          return (
            <button
              key={action.verb}
              type="button"
              disabled={fitting.length === 0}
              onClick={() => void (asked.value = { action, runs: fitting })}
            >
              {action.verb} {fitting.length || ''}
            </button>
          );
        })}
      </div>
      <RunsTable caption={caption} runs={runs} first={selectColumn(runs, ids)} />
      {asked.value && <BulkDialog {...asked.value} onDone={done} onClose={() => void (asked.value = null)} />}
    </>
  );
}

function selectColumn(runs: readonly Run[], ids: Signal<ReadonlySet<number>>): Column<Run> {
  const all = runs.every(({ id }) => ids.value.has(id));
  const set = (of: readonly Run[], on: boolean) => {
    const next = new Set(ids.value);
    for (const { id } of of)
      if (on) next.add(id);
      else next.delete(id);
    ids.value = next;
  };
  const box = (label: string, checked: boolean, of: readonly Run[]) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={checked}
      onChange={(event) => set(of, event.currentTarget.checked)}
    />
  );
  return {
    label: 'Select',
    narrow: true,
    head: box('Select all of this page', all, runs),
    cell: (run) => box(`Select ${run.name} ${run.id}`, ids.value.has(run.id), [run]),
  };
}

import { useSignal } from '@preact/signals';
import { ApiFailure } from '../api/http.ts';
import type { Run } from '../api/types.ts';
import { Dialog } from '../components/dialog.tsx';
import { Notice } from '../components/notice.tsx';
import { toast } from '../components/toasts.tsx';
import { runNoun } from '../resources/run-kinds.ts';
import type { BulkAction } from './bulk-actions.ts';

interface Props {
  action: BulkAction;
  runs: readonly Run[];
  /** those with which it could not be done */
  onDone: (failed: readonly Run[]) => Promise<void>;
  onClose: () => void;
}

interface Refusal {
  run: Run;
  message: string;
}

/** One after the other: the number of the one that is tried, and in the end those that were refused. */
function useBulk({ action: { act, done }, runs, onDone, onClose }: Props) {
  const tried = useSignal<number | null>(null);
  const refused = useSignal<Refusal[] | null>(null);
  const work = async () => {
    if (tried.value !== null) return;
    const refusals: Refusal[] = [];
    for (const [i, run] of runs.entries()) {
      tried.value = i + 1;
      try {
        await act(run);
      } catch (error) {
        if (!(error instanceof ApiFailure)) throw error;
        refusals.push({ run, message: error.message });
      }
    }
    const went = runs.length - refusals.length;
    if (went) toast(went === 1 ? `1 run is ${done}.` : `${went} runs are ${done}.`, 'good');
    refused.value = refusals;
    await onDone(refusals.map(({ run }) => run));
    if (!refusals.length) onClose();
  };
  return { tried: tried.value, refused: refused.value, work };
}

/** Asks, does it, and says of each that was refused why. */
export function BulkDialog(props: Props) {
  const { action, runs, onClose } = props;
  const { tried, refused, work } = useBulk(props);
  const { verb, doing, warning } = action;
  const many = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  return (
    <Dialog title={`${verb} ${many}?`} onClose={onClose}>
      {refused?.length ? <Refusals refusals={refused} /> : <Asked runs={runs} warning={warning} />}
      <p role="status">{tried !== null && !refused && `${doing} ${tried} of ${runs.length} …`}</p>
      <div class="form-actions">
        <button type="button" onClick={onClose}>
          {refused ? 'Close' : (action.keep ?? 'Keep them')}
        </button>
        {!refused && (
          <button
            type="button"
            class={action.harmless ? 'primary' : 'danger'}
            aria-disabled={tried !== null}
            onClick={() => void work()}
          >
            {verb} {many}
          </button>
        )}
      </div>
    </Dialog>
  );
}

const Asked = ({ runs, warning }: { runs: readonly Run[]; warning: string }) => (
  <>
    <ul class="bulk-list" tabIndex={0} aria-label="Runs">
      {runs.map((run) => (
        <li key={run.id}>
          {run.name} <span class="muted">{`${runNoun(run.type)} ${run.id}`}</span>
        </li>
      ))}
    </ul>
    <p>{warning}</p>
  </>
);

const Refusals = ({ refusals }: { refusals: readonly Refusal[] }) => (
  <Notice tone="bad" title="Not all of them could be" alert>
    <ul>
      {refusals.map(({ run, message }) => (
        <li key={run.id}>{`${run.name} (${runNoun(run.type)} ${run.id}): ${message}`}</li>
      ))}
    </ul>
  </Notice>
);

import { useSignal } from '@preact/signals';
import { ApiFailure, Dialog, isActive, post, type Run, toast, useQuery, t } from '@tapline/console-kit';
import { RelaunchButtons } from '../job/relaunch-buttons.tsx';

interface Props {
  run: Run;
  onChange: () => Promise<void>;
}

/** Cancel while it goes on; afterwards launch it once more, all of it or from where it failed. */
export function WorkflowActions({ run, onChange }: Props) {
  const asking = useSignal(false);
  const active = isActive(run);
  const { data } = useQuery<{ can_cancel: boolean }>(active ? `workflow_jobs/${run.id}/cancel/` : null);
  const may = run.summary_fields.user_capabilities ?? {};
  if (active)
    return data.value?.can_cancel ? (
      <>
        <button
          type="button"
          class="danger"
          disabled={run.canceled_on !== null}
          onClick={() => void (asking.value = true)}
        >
          {run.canceled_on === null ? t`Cancel workflow` : t`Canceling …`}
        </button>
        {asking.value && <CancelDialog run={run} onClose={() => void (asking.value = false)} onChange={onChange} />}
      </>
    ) : null;
  return may['start'] ? <RelaunchButtons run={run} /> : null;
}

function CancelDialog({ run, onClose, onChange }: Props & { onClose: () => void }) {
  const cancel = async () => {
    try {
      await post(`workflow_jobs/${run.id}/cancel/`);
      toast(t`${run.name} is being canceled.`);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      toast(error.status === 405 ? t`It had ended already.` : t`Canceling failed: ${error.message}`, 'bad');
    }
    onClose();
    await onChange();
  };
  return (
    <Dialog title={t`Cancel ${run.name}?`} onClose={onClose}>
      <p>{t`What it launched and goes on is canceled too, approvals that wait included; what would follow is not run.`}</p>
      <div class="form-actions">
        <button type="button" class="danger" onClick={() => void cancel()}>{t`Cancel workflow`}</button>
        <button type="button" onClick={onClose}>{t`Keep running`}</button>
      </div>
    </Dialog>
  );
}

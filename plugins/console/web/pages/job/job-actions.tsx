import { useSignal } from '@preact/signals';
import { ApiFailure, Dialog, isActive, post, type Run, runNoun, toast, t } from '@tapline/console-kit';
import { RelaunchButtons } from './relaunch-buttons.tsx';

interface Props {
  run: Run;
  onChange: () => Promise<void>;
}

export function JobActions({ run, onChange }: Props) {
  const asking = useSignal(false);
  const noun = runNoun(run.type).toLowerCase();
  const may = run.summary_fields.user_capabilities ?? {};

  if (isActive(run))
    return may['start'] === false ? null : (
      <>
        <button
          type="button"
          class="danger"
          onClick={() => void (asking.value = true)}
          disabled={run.canceled_on !== null}
        >
          {run.canceled_on === null ? t`Cancel ${noun}` : t`Canceling …`}
        </button>
        {asking.value && <CancelDialog run={run} onClose={() => void (asking.value = false)} onChange={onChange} />}
      </>
    );
  return may['start'] === false ? null : <RelaunchButtons run={run} />;
}

function CancelDialog({ run, onClose, onChange }: Props & { onClose: () => void }) {
  const noun = runNoun(run.type).toLowerCase();
  const cancel = async () => {
    try {
      await post(`${run.url}cancel/`);
      toast(t`${run.name} is being canceled.`);
    } catch (error) {
      const ended = error instanceof ApiFailure && error.status === 405;
      toast(
        ended ? t`It had ended already.` : t`Canceling failed: ${(error as Error).message}`,
        ended ? 'info' : 'bad',
      );
    }
    onClose();
    await onChange();
  };
  return (
    <Dialog title={t`Cancel ${run.name}?`} onClose={onClose}>
      <p>{t`What it has changed so far stays changed. What it does now is interrupted.`}</p>
      <div class="form-actions">
        <button type="button" class="danger" onClick={() => void cancel()}>{t`Cancel ${noun}`}</button>
        <button type="button" onClick={onClose}>{t`Keep running`}</button>
      </div>
    </Dialog>
  );
}

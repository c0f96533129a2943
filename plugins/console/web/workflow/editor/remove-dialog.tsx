import { useSignal } from '@preact/signals';
import { ApiFailure, Dialog, Notice, t } from '@tapline/console-kit';

interface Props {
  title: string;
  text: string;
  /** of the button that does it */
  label: string;
  remove: () => Promise<void>;
  onDone: () => Promise<void>;
  onClose: () => void;
}

/** Asks before something is taken out of the graph. */
export function RemoveDialog({ title, text, label, remove, onDone, onClose }: Props) {
  const problem = useSignal('');
  const sending = useSignal(false);
  const send = async () => {
    if (sending.value) return;
    sending.value = true;
    try {
      await remove();
      await onDone();
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      problem.value = error.message;
    } finally {
      sending.value = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {problem.value && (
        <Notice tone="bad" alert>
          {problem.value}
        </Notice>
      )}
      <p>{text}</p>
      <div class="form-actions">
        <button type="button" onClick={onClose}>{t`Keep it`}</button>
        <button type="button" class="danger" aria-disabled={sending.value} onClick={() => void send()}>
          {label}
        </button>
      </div>
    </Dialog>
  );
}

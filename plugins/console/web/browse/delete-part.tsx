import { useSignal } from '@preact/signals';
import { Dialog, t } from '@tapline/console-kit';
import type { Answer } from './ask.ts';

/** Deletes after a question; the answer is shown where all are. */
export function DeletePart({ send }: { send: () => Promise<Answer> }) {
  const open = useSignal(false);
  const close = () => void (open.value = false);
  const remove = () => {
    close();
    void send();
  };
  return (
    <section aria-label={t`DELETE`}>
      <h2>{t`DELETE`}</h2>
      <button type="button" class="danger" onClick={() => void (open.value = true)}>{t`Delete`}</button>
      {open.value && (
        <Dialog title={t`Delete ${location.pathname}?`} onClose={close}>
          <p>{t`This cannot be undone.`}</p>
          <div class="form-actions">
            <button type="button" onClick={close}>{t`Keep it`}</button>
            <button type="button" class="danger" onClick={remove}>{t`Delete it`}</button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

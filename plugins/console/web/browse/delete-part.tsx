import { useSignal } from '@preact/signals';
import { Dialog } from '@tapline/console-kit';
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
    <section aria-label="DELETE">
      <h2>DELETE</h2>
      <button type="button" class="danger" onClick={() => void (open.value = true)}>
        Delete
      </button>
      {open.value && (
        <Dialog title={`Delete ${location.pathname}?`} onClose={close}>
          <p>This cannot be undone.</p>
          <div class="form-actions">
            <button type="button" onClick={close}>
              Keep it
            </button>
            <button type="button" class="danger" onClick={remove}>
              Delete it
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}

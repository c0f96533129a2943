import { Dialog, Folded, Notice, Status, toast } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { Part } from './part.tsx';

const statuses = ['pending', 'running', 'successful', 'failed', 'canceled', 'degraded'];

export function SaidParts() {
  const open = useSignal(false);
  const close = () => void (open.value = false);
  return (
    <>
      <Part name="Notice">
        {(['info', 'good', 'warn', 'bad'] as const).map((tone) => (
          <Notice key={tone} tone={tone} title={`Of the tone ${tone}`}>
            <p>Something that has to be known here.</p>
          </Notice>
        ))}
      </Part>
      <Part name="Status">
        <p class="actions">
          {statuses.map((status) => (
            <Status key={status} status={status} />
          ))}
        </p>
      </Part>
      <Part name="Empty and folded">
        <p class="empty">There is no record yet.</p>
        <Folded title="More of it" text="Seen by whoever asks for it." />
      </Part>
      <Part name="Toast and dialog">
        <p class="actions">
          <button type="button" onClick={() => toast('It is done.', 'good')}>
            Say so
          </button>
          <button type="button" onClick={() => void (open.value = true)}>
            Ask
          </button>
        </p>
        {open.value && (
          <Dialog title="Shall it be so?" onClose={close}>
            <p>The focus stays inside, and goes back where it was.</p>
            <div class="form-actions">
              <button type="button" class="primary" onClick={close}>
                Yes
              </button>
            </div>
          </Dialog>
        )}
      </Part>
    </>
  );
}

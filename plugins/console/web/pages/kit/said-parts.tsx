import { ApiFailure, Dialog, Folded, Notice, type Query, shown, Status, toast, t } from '@tapline/console-kit';
import { signal, useSignal } from '@preact/signals';
import { Part } from './part.tsx';

const statuses = ['pending', 'running', 'successful', 'failed', 'canceled', 'degraded'];

/** It was read once, and then not again. */
const readOnce: Query<number> = {
  data: signal(12),
  error: signal(new ApiFailure(503, { detail: t`The database is away.` })),
  reload: async () => undefined,
};

export function SaidParts() {
  const open = useSignal(false);
  const close = () => void (open.value = false);
  return (
    <>
      <Part name={t`Notice`}>
        {(['info', 'good', 'warn', 'bad'] as const).map((tone) => (
          <Notice key={tone} tone={tone} title={t`Of the tone ${tone}`}>
            <p>{t`Something that has to be known here.`}</p>
          </Notice>
        ))}
      </Part>
      <Part name={t`Status`}>
        <p class="actions">
          {statuses.map((status) => (
            <Status key={status} status={status} />
          ))}
        </p>
      </Part>
      <Part name={t`What was read`}>
        {shown(readOnce, { what: t`number of hosts`, loading: t`the hosts` }, (count) => (
          <p>{t`${count} hosts`}</p>
        ))}
      </Part>
      <Part name={t`Empty and folded`}>
        <p class="empty">{t`There is no record yet.`}</p>
        <Folded title={t`More of it`} text={t`Seen by whoever asks for it.`} />
      </Part>
      <Part name={t`Toast and dialog`}>
        <p class="actions">
          <button type="button" onClick={() => toast(t`It is done.`, 'good')}>{t`Say so`}</button>
          <button type="button" onClick={() => void (open.value = true)}>{t`Ask`}</button>
        </p>
        {open.value && (
          <Dialog title={t`Shall it be so?`} onClose={close}>
            <p>{t`The focus stays inside, and goes back where it was.`}</p>
            <div class="form-actions">
              <button type="button" class="primary" onClick={close}>{t`Yes`}</button>
            </div>
          </Dialog>
        )}
      </Part>
    </>
  );
}

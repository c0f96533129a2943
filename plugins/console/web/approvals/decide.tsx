import { useSignal } from '@preact/signals';
import { Dialog, type FieldErrors, Form, may, post, type Row, TextField, toast, t } from '@tapline/console-kit';

type Vote = 'approve' | 'deny';

interface Props {
  row: Row;
  onDone: () => Promise<void>;
}

/** Approve and deny, for those who may; whoever launched it may only deny where four eyes are asked for. */
export function Decide({ row, onDone }: Props) {
  const asking = useSignal<Vote | null>(null);
  if (row['can_approve_or_deny'] !== true) return null;
  if (row['user_has_voted'] === true) return <span class="muted">{t`You have voted.`}</span>;
  const name = <span class="visually-hidden"> {row['name']}</span>;
  return (
    <span class="decide">
      {may(row, 'start') && (
        <button
          type="button"
          class="primary"
          onClick={() => void (asking.value = 'approve')}
        >{t`Approve${name}`}</button>
      )}
      <button type="button" class="danger" onClick={() => void (asking.value = 'deny')}>{t`Deny${name}`}</button>
      {asking.value && (
        <DecideDialog row={row} vote={asking.value} onDone={onDone} onClose={() => void (asking.value = null)} />
      )}
    </span>
  );
}

const words = {
  approve: { title: t`Approve`, said: t`is approved`, what: t`The workflow goes on along its links for success.` },
  deny: {
    title: t`Deny`,
    said: t`is denied`,
    what: t`The workflow goes on along its links for failure, if it has any.`,
  },
};

function DecideDialog({ row, vote, onDone, onClose }: Props & { vote: Vote; onClose: () => void }) {
  const comment = useSignal('');
  const errors = useSignal<FieldErrors>({});
  const { title, said, what } = words[vote];
  const missing = Number(row['required_approvals'] ?? 1) - Number(row['approvals_received'] ?? 0);
  const waits = vote === 'approve' && missing > 1;
  const submit = async () => {
    await post(`workflow_approvals/${row.id}/${vote}/`, { comment: comment.value });
    toast(waits ? t`Your vote for ${row['name']} counts.` : `${row['name']} ${said}.`, 'good');
    onClose();
    await onDone();
  };
  return (
    <Dialog title={`${title} ${row['name']}?`} onClose={onClose}>
      <p>{waits ? t`${missing} approvals are missing yet; yours is one of them.` : what}</p>
      <Form submit={title} busy={t`Sending …`} errors={errors} known={['comment']} onSubmit={submit} onCancel={onClose}>
        <TextField
          name="comment"
          label={t`Comment`}
          lines={3}
          value={comment.value}
          errors={errors.value['comment']}
          onValue={(value) => void (comment.value = value)}
        />
      </Form>
    </Dialog>
  );
}

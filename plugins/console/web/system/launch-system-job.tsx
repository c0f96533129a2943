import { useSignal } from '@preact/signals';
import {
  CheckField,
  Dialog,
  type FieldErrors,
  Form,
  go,
  type Launch,
  type Row,
  TextField,
  useLauncher,
  user,
  t,
} from '@tapline/console-kit';

/** Launches it after asking how old is too old. */
export function LaunchSystemJob({ row }: { row: Row }) {
  const open = useSignal(false);
  const launch = useLauncher();
  // only whoever administers everything may
  if (!user.value?.is_superuser) return null;
  return (
    <>
      <button type="button" onClick={() => void (open.value = true)}>
        {t`Launch`}
        <span class="visually-hidden"> {row['name']}</span>
      </button>
      {open.value && <LaunchDialog row={row} launch={launch} onClose={() => void (open.value = false)} />}
    </>
  );
}

function LaunchDialog({ row, launch, onClose }: { row: Row; launch: Launch; onClose: () => void }) {
  const days = useSignal('');
  const dry = useSignal(true);
  const errors = useSignal<FieldErrors>({});
  const send = async () => {
    const given = { ...(days.value !== '' && { days: Number(days.value) }), ...(dry.value && { dry_run: true }) };
    const path = `system_job_templates/${row.id}/launch/`;
    const { id } = await launch<{ id: number }>(path, { extra_vars: given });
    onClose();
    go(`/system_jobs/${id}`);
  };
  return (
    <Dialog title={t`Launch ${row['name']}`} onClose={onClose}>
      <p>{row['description']}</p>
      <Form submit={t`Launch`} busy={t`Launching …`} errors={errors} known={[]} onSubmit={send} onCancel={onClose}>
        <TextField
          label={t`Days`}
          name="days"
          type="number"
          hint={t`What is older goes. Left empty, what the service keeps to by itself counts.`}
          value={days.value}
          onValue={(value) => void (days.value = value)}
        />
        <CheckField
          label={t`Only say what would go`}
          name="dry_run"
          checked={dry.value}
          onValue={(on) => void (dry.value = on)}
        />
      </Form>
    </Dialog>
  );
}

import { useSignal } from '@preact/signals';
import { ApiFailure, get, post } from '../../api/http.ts';
import { isActive, type Run } from '../../api/types.ts';
import { Dialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toasts.tsx';
import { go } from '../../router.ts';
import { PasswordsDialog } from './passwords-dialog.tsx';

interface Relaunch {
  passwords_needed_to_start: string[];
  retry_counts: { all: number; failed: number } | string;
}

type RelaunchHosts = 'all' | 'failed';

interface Props {
  run: Run;
  onChange: () => Promise<void>;
}

export function JobActions({ run, onChange }: Props) {
  const asking = useSignal<'cancel' | null>(null);
  const passwords = useSignal<{ names: string[]; hosts: RelaunchHosts } | null>(null);
  const may = run.summary_fields.user_capabilities ?? {};

  const relaunch = async (hosts: RelaunchHosts) => {
    try {
      const info = await get<Relaunch>(`jobs/${run.id}/relaunch/`);
      if (info.passwords_needed_to_start.length) passwords.value = { names: info.passwords_needed_to_start, hosts };
      else await sendRelaunch(run, hosts);
    } catch (error) {
      toast(`Relaunch failed: ${(error as Error).message}`, 'bad');
    }
  };

  if (isActive(run))
    return may['start'] === false ? null : (
      <>
        <button
          type="button"
          class="danger"
          onClick={() => void (asking.value = 'cancel')}
          disabled={run.canceled_on !== null}
        >
          {run.canceled_on === null ? 'Cancel job' : 'Canceling …'}
        </button>
        {asking.value && <CancelDialog run={run} onClose={() => void (asking.value = null)} onChange={onChange} />}
      </>
    );
  if (run.type !== 'job' || may['start'] === false) return null;
  return (
    <>
      {run.failed && (
        <button type="button" onClick={() => void relaunch('failed')}>
          Relaunch on failed hosts
        </button>
      )}
      <button type="button" class="primary" onClick={() => void relaunch('all')}>
        Relaunch
      </button>
      {passwords.value && (
        <PasswordsDialog
          names={passwords.value.names}
          onClose={() => void (passwords.value = null)}
          onSubmit={(given) => sendRelaunch(run, passwords.value?.hosts ?? 'all', given)}
        />
      )}
    </>
  );
}

async function sendRelaunch(run: Run, hosts: RelaunchHosts, passwords?: Record<string, string>): Promise<void> {
  const body = { hosts, ...(passwords ? { credential_passwords: passwords } : {}) };
  const { job } = await post<{ job: number }>(`jobs/${run.id}/relaunch/`, body);
  go(`/jobs/${job}`);
}

function CancelDialog({ run, onClose, onChange }: Props & { onClose: () => void }) {
  const cancel = async () => {
    try {
      await post(`${run.url}cancel/`);
      toast(`${run.name} is being canceled.`);
    } catch (error) {
      const ended = error instanceof ApiFailure && error.status === 405;
      toast(ended ? 'It had ended already.' : `Canceling failed: ${(error as Error).message}`, ended ? 'info' : 'bad');
    }
    onClose();
    await onChange();
  };
  return (
    <Dialog title={`Cancel ${run.name}?`} onClose={onClose}>
      <p>What the playbook has changed so far stays changed. The task that runs now is interrupted.</p>
      <div class="form-actions">
        <button type="button" class="danger" onClick={() => void cancel()}>
          Cancel job
        </button>
        <button type="button" onClick={onClose}>
          Keep running
        </button>
      </div>
    </Dialog>
  );
}

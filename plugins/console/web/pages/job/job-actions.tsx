import { useSignal } from '@preact/signals';
import {
  ApiFailure,
  attempt,
  Dialog,
  get,
  go,
  isActive,
  post,
  type Run,
  runNoun,
  runPath,
  toast,
  t,
} from '@tapline/console-kit';
import { PasswordsDialog } from './passwords-dialog.tsx';

interface Relaunch {
  passwords_needed_to_start: string[];
}

type RelaunchHosts = 'all' | 'failed';
const relaunched = new Set(['job', 'ad_hoc_command']);

interface Props {
  run: Run;
  onChange: () => Promise<void>;
}

export function JobActions({ run, onChange }: Props) {
  const asking = useSignal(false);
  const passwords = useSignal<{ names: string[]; hosts: RelaunchHosts } | null>(null);
  const noun = runNoun(run.type).toLowerCase();
  const may = run.summary_fields.user_capabilities ?? {};

  const relaunch = (hosts: RelaunchHosts) =>
    attempt(
      async () => {
        const { passwords_needed_to_start: names } = await get<Relaunch>(`${run.url}relaunch/`);
        if (names.length) passwords.value = { names, hosts };
        else await sendRelaunch(run, hosts);
      },
      { whose: t`Relaunch failed` },
    );

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
  if (!relaunched.has(run.type) || may['start'] === false) return null;
  return (
    <>
      {run.failed && run.type === 'job' && (
        <button type="button" onClick={() => void relaunch('failed')}>{t`Relaunch on failed hosts`}</button>
      )}
      <button type="button" class="primary" onClick={() => void relaunch('all')}>{t`Relaunch`}</button>
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
  // a command has all its hosts again, and takes passwords by their own names
  const body = run.type === 'job' ? { hosts, ...(passwords && { credential_passwords: passwords }) } : passwords;
  const { id } = await post<{ id: number }>(`${run.url}relaunch/`, body);
  go(runPath({ ...run, id }));
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

import { useSignal } from '@preact/signals';
import { attempt, get, go, type Run, runPath, useLauncher, t } from '@tapline/console-kit';
import { PasswordsDialog } from './passwords-dialog.tsx';

type Passwords = Record<string, string>;

interface Way {
  label: string;
  /** of a run that failed alone */
  failed?: true;
  body: (passwords?: Passwords) => object;
}

/** By kind of run; the last is what is done mostly. A command has all its hosts again, and takes passwords by their own names. */
const ways: Readonly<Record<string, readonly Way[]>> = {
  job: [
    { label: t`Relaunch on failed hosts`, failed: true, body: (passwords) => ofJob('failed', passwords) },
    { label: t`Relaunch`, body: (passwords) => ofJob('all', passwords) },
  ],
  ad_hoc_command: [{ label: t`Relaunch`, body: (passwords = {}) => passwords }],
  workflow_job: [
    { label: t`Relaunch from what failed`, failed: true, body: () => ({ nodes: 'failed' }) },
    { label: t`Relaunch`, body: () => ({ nodes: 'all' }) },
  ],
};

const ofJob = (hosts: string, passwords?: Passwords) => ({
  hosts,
  ...(passwords && { credential_passwords: passwords }),
});

/** Launches a run that has ended once more, after asking for the passwords that it needs. */
export function RelaunchButtons({ run }: { run: Run }) {
  const launch = useLauncher();
  const sending = useSignal(false);
  const asking = useSignal<{ way: Way; names: readonly string[] } | null>(null);
  const offered = (ways[run.type] ?? []).filter(({ failed }) => !failed || run.failed);

  const send = async (way: Way, passwords?: Passwords) => {
    const { id } = await launch<{ id: number }>(`${run.url}relaunch/`, way.body(passwords));
    go(runPath({ ...run, id }));
  };
  const begin = async (way: Way) => {
    const { passwords_needed_to_start: names = [] } = await get(`${run.url}relaunch/`);
    if (names.length) asking.value = { way, names };
    else await send(way);
  };
  const press = async (way: Way) => {
    if (sending.value) return;
    sending.value = true;
    await attempt(() => begin(way), { whose: t`Relaunch failed` });
    sending.value = false;
  };
  return (
    <>
      {offered.map((way, i) => (
        <button
          key={way.label}
          type="button"
          class={i === offered.length - 1 ? 'primary' : undefined}
          aria-disabled={sending.value}
          onClick={() => void press(way)}
        >
          {way.label}
        </button>
      ))}
      {asking.value && (
        <PasswordsDialog
          names={asking.value.names}
          onClose={() => void (asking.value = null)}
          onSubmit={(given) => send(asking.value!.way, given)}
        />
      )}
    </>
  );
}

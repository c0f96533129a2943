import { useSignal } from '@preact/signals';
import { attempt } from '../components/attempt.ts';
import { go } from '../router.ts';
import { useLauncher } from '../runs/launching.ts';

interface Props {
  label: string;
  /** what it is done to, for those who do not see the row */
  what: string;
  /** below /api/v2/ */
  path: string;
  /** said when it is done */
  done: string;
  /** where the answer leads, if anywhere */
  to?: (answer: any) => string | null;
  onDone?: () => Promise<void>;
}

/** One POST by a button, and what came of it; whatever it launches is launched once. */
export function ActButton({ label, what, path, done, to, onDone }: Props) {
  const sending = useSignal(false);
  const launch = useLauncher();
  const act = async () => {
    if (sending.value) return;
    sending.value = true;
    let answer: unknown;
    const went = await attempt(async () => void (answer = await launch(path)), { said: done, whose: what });
    sending.value = false;
    if (!went) return;
    const next = to?.(answer);
    if (next) go(next);
    await onDone?.();
  };
  return (
    <button type="button" aria-disabled={sending.value} onClick={() => void act()}>
      {label}
      <span class="visually-hidden"> {what}</span>
    </button>
  );
}

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { liveState, Notice, t } from '@tapline/console-kit';

/** A moment without connection is nothing to speak of. */
const patienceMs = 2000;

/** Says above the page that the service is away: what is shown is from before, and comes true again by itself. */
export function Away() {
  const lost = liveState.value === 'lost';
  const shown = useSignal(false);
  useEffect(() => {
    shown.value = false;
    if (!lost) return;
    const timer = setTimeout(() => void (shown.value = true), patienceMs);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!shown.value) return null;
  return (
    <div role="status">
      <Notice tone="warn" title={t`The service does not answer`}>
        <p>{t`It may be restarting. What you see is from before; it is read again as soon as there is an answer.`}</p>
      </Notice>
    </div>
  );
}

import { useEffect } from 'preact/hooks';
import { isActive, type Run } from '@tapline/console-kit';

export interface PartProps {
  run: Run;
  /** the list of its events, below /api/v2/ */
  events: string;
}

/** As often as somebody who watches wants to see something new. */
const everyMs = 3000;

/** Reads again while the run goes on, and once it has ended. */
export function useWhileActive(run: Run, reload: () => Promise<void>): void {
  const active = isActive(run);
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => void reload(), everyMs);
    return () => {
      clearInterval(timer);
      void reload();
    };
  }, [active, reload]);
}

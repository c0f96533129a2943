import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiFailure, distance, post, t } from '@tapline/console-kit';

interface Preview {
  local: string[];
  utc: string[];
}

const pauseMs = 300;
const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short' });
const hereZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** What the service makes of a rule: its next times, or what is wrong with it. */
export function usePreview(rule: string) {
  const preview = useSignal<Preview | null>(null);
  const problems = useSignal<string[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const ask = async () => {
      try {
        const { signal } = abort;
        preview.value = await post<Preview>('schedules/preview/', { rrule: rule }, { quiet: true, signal });
        problems.value = [];
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!(error instanceof ApiFailure)) throw error;
        preview.value = null;
        problems.value = error.fields['rrule'] ?? [error.message];
      }
    };
    // somebody may still be typing
    const timer = rule ? setTimeout(() => void ask(), pauseMs) : undefined;
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [rule]);
  return { preview: preview.value, problems: problems.value };
}

/** The next ten runs, as the clock of whoever looks shows them; beside it that of the rule, where they differ. */
export function NextRuns({ preview, zone }: { preview: Preview | null; zone?: string | undefined }) {
  if (!preview) return null;
  if (!preview.utc.length) return <p class="empty">{t`It will not run any more.`}</p>;
  const now = Date.now();
  return (
    <div class="next-runs">
      <ol>
        {preview.utc.map((at, i) => (
          <li key={at}>
            <time dateTime={at}>{times.format(new Date(at))}</time>{' '}
            <span class="muted">
              {distance((now - Date.parse(at)) / 1000)}
              {differs(preview.local[i] ?? '', at) && t`, there ${preview.local[i]!.slice(11, 16)}`}
            </span>
          </li>
        ))}
      </ol>
      <p class="hint">{t`Times of ${hereZone}, the zone of this browser${zone && zone !== hereZone ? t`; the rule goes by ${zone}` : ''}.`}</p>
    </div>
  );
}

/** Whether the clock of the rule shows another time than the one here. */
const differs = (local: string, utc: string) => local.slice(11, 16) !== times.format(new Date(utc)).slice(-5);

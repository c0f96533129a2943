import { t } from '@tapline/console-kit';
import { useEffect } from 'preact/hooks';
import { doneSteps, own, readSteps, stepIds } from '../../api/steps.ts';
import { steps } from './steps.tsx';

/** On the overview, until everything is there. */
export function NextSteps() {
  useEffect(() => void readSteps().catch(() => undefined), []);
  const found = own.value;
  if (!found || doneSteps.value === stepIds.length) return null;
  const next = steps.find(({ id }) => !found[id])!;
  return (
    <section class="next" aria-labelledby="next-title">
      <div>
        <h2 id="next-title">{t`Next: ${next.title.toLowerCase()}`}</h2>
        <p>{next.why}</p>
      </div>
      <div class="next-side">
        <p class="progress">
          <progress max={stepIds.length} value={doneSteps.value} aria-label={t`Steps done`} />{' '}
          {t`${doneSteps.value} of ${stepIds.length} steps done`}
        </p>
        <a class="button primary" href="/setup">{t`Go on setting up`}</a>
      </div>
    </section>
  );
}

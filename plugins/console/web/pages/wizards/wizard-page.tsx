import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isPage, Loading, PageLayout, t } from '@tapline/console-kit';
import { NotFoundPage } from '../not-found-page.tsx';
import { type Wizard, wizards } from './wizards.ts';

/** A short guide: what there is to do, in its order, and what is done already. */
export function WizardPage({ params }: { params: Record<string, string> }) {
  const wizard = wizards[params['name'] ?? ''];
  return wizard ? <Guide wizard={wizard} /> : <NotFoundPage />;
}

const states = new Map([
  [true, t`Done`],
  [false, t`To do`],
]);

function Guide({ wizard: { title, why, steps } }: { wizard: Wizard }) {
  const done = useSignal<(boolean | null)[] | undefined>(undefined);
  useEffect(() => {
    void Promise.all(steps.map((step) => step.done().catch(() => null))).then((found) => void (done.value = found));
  }, [steps]);
  const found = done.value;
  return (
    <PageLayout title={title} intro={why}>
      {!found && <Loading what={t`what is done already`} />}
      {found && (
        <ol class="steps">
          {steps.map((step, i) => (
            <li key={step.title} class={`step ${found[i] ? 'done' : ''}`}>
              <h2>
                {step.title} {found[i] !== null && <span class="step-state">{states.get(found[i]!)}</span>}
              </h2>
              <p>{step.why}</p>
              {isPage(step.to) ? (
                <a class="button" href={step.to}>
                  {step.label}
                </a>
              ) : (
                <p class="muted">{t`Its page comes with the plugin.`}</p>
              )}
            </li>
          ))}
        </ol>
      )}
    </PageLayout>
  );
}

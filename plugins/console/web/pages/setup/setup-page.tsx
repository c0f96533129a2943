import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiFailure, Failure, Loading, PageLayout, toast, t } from '@tapline/console-kit';
import { doneSteps, own, readSteps, type StepId, stepIds } from '../../api/steps.ts';
import { steps } from './steps.tsx';

export function SetupPage() {
  const { error, read } = useSteps();
  const opened = useSignal<StepId | null>(null);
  const found = own.value;
  const next = found && steps.find(({ id }) => !found[id])?.id;

  const done = async (said: string) => {
    toast(said, 'good');
    opened.value = null;
    await readSteps();
    document.querySelector<HTMLElement>('.step.open h2')?.focus();
  };

  return (
    <PageLayout
      title={t`Set up`}
      intro={
        found &&
        (doneSteps.value === stepIds.length
          ? t`Everything is there.`
          : t`${doneSteps.value} of ${stepIds.length} steps are done.`)
      }
    >
      {error.value && <Failure error={error.value} what={t`state of the installation`} again={read} />}
      {!found && !error.value && <Loading what={t`what is there`} />}
      {found && (
        <ol class="steps">
          {steps.map(({ id, title, why, form: StepForm }) => {
            const there = found[id];
            const open = (opened.value ?? next) === id;
            return (
              <li key={id} class={`step ${there ? 'done' : ''} ${open ? 'open' : ''}`}>
                <h2 tabIndex={-1}>
                  {title} <span class="step-state">{there ? t`Done` : t`To do`}</span>
                </h2>
                <p>{there ? <There name={there.name} /> : why}</p>
                {open && <StepForm onDone={done} />}
                {!open && (
                  <button type="button" class="link" onClick={() => void (opened.value = id)}>
                    {there ? t`Add another` : t`Do it now`}
                    <span class="visually-hidden">: {title}</span>
                  </button>
                )}
              </li>
            );
          })}
        </ol>
      )}
    </PageLayout>
  );
}

function useSteps() {
  const error = useSignal<ApiFailure | null>(null);
  const read = async () => {
    try {
      await readSteps();
      error.value = null;
    } catch (failure) {
      if (!(failure instanceof ApiFailure)) throw failure;
      error.value = failure;
    }
  };
  useEffect(() => void read(), []);
  return { error, read };
}

const There = ({ name }: { name: string }) => (
  <>
    {t`There is`} <strong>{name}</strong>.
  </>
);

import { useSignal } from '@preact/signals';
import { attempt, useUnsaved, t } from '@tapline/console-kit';
import type { Question } from './questions.ts';

/** Questions that go once somebody stores that: a default that nobody can read could not be put back afterwards. */
export function useRemoval(questions: readonly Question[], store: (questions: Question[]) => Promise<void>) {
  const marked = useSignal<ReadonlySet<string>>(new Set());
  const isGoing = ({ variable }: Question) => marked.value.has(variable);
  const going = questions.filter(isGoing);
  const staying = questions.filter((question) => !isGoing(question));
  useUnsaved(() => going.length > 0);
  const none = () => void (marked.value = new Set());
  return {
    isGoing,
    going,
    staying,
    turn({ variable }: Question) {
      const next = new Set(marked.value);
      if (!next.delete(variable)) next.add(variable);
      marked.value = next;
    },
    none,
    storeIt: () => attempt(() => store(staying).then(none), { said: t`The survey is stored.` }),
  };
}

type Removal = ReturnType<typeof useRemoval>;

/** What is about to go, and both ways on. */
export function GoingBar({ removal: { going, none, storeIt } }: { removal: Removal }) {
  if (!going.length) return null;
  return (
    <p class="tab-actions">
      <button type="button" class="danger" onClick={() => void storeIt()}>
        {going.length === 1 ? t`Store without 1 question` : t`Store without ${going.length} questions`}
      </button>
      <button type="button" onClick={none}>{t`Put all back`}</button>
    </p>
  );
}

export const GoingQuestion = ({ question, onBack }: { question: Question; onBack: () => void }) => (
  <div class="question">
    <div>
      <s>{question.question_name}</s>
      <span class="muted sub">{t`Goes when the survey is stored.`}</span>
    </div>
    <div class="actions">
      <button type="button" aria-label={t`Put back ${question.question_name}`} onClick={onBack}>{t`Put back`}</button>
    </div>
  </div>
);

import { useSignal } from '@preact/signals';
import { attempt, t } from '@tapline/console-kit';
import { QuestionForm } from './question-form.tsx';
import type { Question } from './questions.ts';
import { GoingBar, GoingQuestion, useRemoval } from './removal.tsx';
import { ShownQuestion } from './shown-question.tsx';
import { SurveyPreview } from './survey-preview.tsx';

interface Props {
  questions: readonly Question[];
  store: (questions: Question[]) => Promise<void>;
  editable: boolean;
}

const placeOf = (questions: readonly Question[], { variable }: Question) =>
  questions.findIndex((one) => one.variable === variable);

export function QuestionList({ questions, store, editable }: Props) {
  /** the question that is edited, as it was then, or that one more is added */
  const edited = useSignal<Question | 'new' | null>(null);
  const removal = useRemoval(questions, store);
  const close = () => void (edited.value = null);
  const open = edited.value;
  const changed = open === 'new' ? null : open;
  const storeOne = async (question: Question) => {
    const i = changed ? placeOf(questions, changed) : -1;
    await store(i < 0 ? [...questions, question] : questions.with(i, question));
    close();
  };
  const form = <QuestionForm question={changed ?? undefined} onCancel={close} onStore={storeOne} />;
  const up = (i: number) => attempt(() => store(questions.toSpliced(i, 1).toSpliced(i - 1, 0, questions[i]!)));
  // what is typed into one that somebody else removed meanwhile stays, and makes one more of it
  const drawn = changed && placeOf(questions, changed) < 0 ? [...questions, changed] : questions;
  return (
    <>
      {drawn.length === 0 && open === null && <p class="empty">{t`The survey has no question.`}</p>}
      <ol class="questions">
        {drawn.map((question, i) => (
          <li key={question.variable}>
            {question.variable === changed?.variable ? (
              form
            ) : removal.isGoing(question) ? (
              <GoingQuestion question={question} onBack={() => removal.turn(question)} />
            ) : (
              <ShownQuestion
                question={question}
                editable={editable}
                onUp={i > 0 ? () => void up(i) : undefined}
                onEdit={() => void (edited.value = question)}
                onRemove={() => removal.turn(question)}
              />
            )}
          </li>
        ))}
      </ol>
      <GoingBar removal={removal} />
      {editable && open === 'new' && form}
      {removal.staying.length > 0 && open === null && <SurveyPreview questions={removal.staying} />}
      {editable && open === null && (
        <button type="button" onClick={() => void (edited.value = 'new')}>{t`Add question`}</button>
      )}
    </>
  );
}

import { t } from '@tapline/console-kit';
import { useSignal } from '@preact/signals';
import { type Answers, firstAnswers } from './answers.ts';
import type { Question } from './questions.ts';
import { SurveyFields } from './survey-fields.tsx';

/** The questions as a launch will ask them; what is typed here goes nowhere. */
export function SurveyPreview({ questions }: { questions: readonly Question[] }) {
  const answers = useSignal<Answers>(firstAnswers(questions));
  return (
    <details class="more">
      <summary>{t`As a launch asks them`}</summary>
      <SurveyFields questions={questions} answers={answers} />
    </details>
  );
}

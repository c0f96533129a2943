import type { Signal } from '@preact/signals';
import { ChoicesField, type FieldProps, SecretField, SelectField, TextField, t } from '@tapline/console-kit';
import type { Answers } from './answers.ts';
import { linesOf, type Question } from './questions.ts';

/** The questions of a survey, as a launch asks them. */
export const SurveyFields = ({ questions, answers }: { questions: readonly Question[]; answers: Signal<Answers> }) => (
  <>
    {questions.map((question) => (
      <Answer
        key={question.variable}
        question={question}
        answer={answers.value[question.variable] ?? ''}
        onAnswer={(answer) => void (answers.value = { ...answers.value, [question.variable]: answer })}
      />
    ))}
  </>
);

interface Props {
  question: Question;
  answer: string | string[];
  onAnswer: (answer: string | string[]) => void;
}

const longLines = 4;
const numbers = new Set(['integer', 'float']);

function Answer({ question, answer, onAnswer }: Props) {
  const { variable, question_name, question_description, type, required, choices } = question;
  const field: FieldProps = { name: variable, label: question_name, hint: question_description, required };
  const offered = linesOf(choices).map((choice) => ({ value: choice, label: choice }));
  if (type === 'multiselect')
    return <ChoicesField {...field} choices={offered} values={answer as string[]} onValues={onAnswer} />;
  const text = answer as string;
  if (type === 'multiplechoice')
    return <SelectField {...field} choices={offered} empty={t`Choose one`} value={text} onValue={onAnswer} />;
  // without an answer the default counts, so it cannot be removed here
  if (type === 'password') return <SecretField {...field} value={text} onValue={onAnswer} lasting />;
  return (
    <TextField
      {...field}
      value={text}
      onValue={onAnswer}
      lines={type === 'textarea' ? longLines : 1}
      type={numbers.has(type) ? 'number' : 'text'}
    />
  );
}

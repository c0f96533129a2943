import { useSignal } from '@preact/signals';
import {
  apiOf,
  attempt,
  CheckField,
  Failure,
  Loading,
  may,
  post,
  request,
  type Tab,
  type TabProps,
  useQuery,
  t,
} from '@tapline/console-kit';
import { QuestionForm } from './question-form.tsx';
import type { Question, Survey } from './questions.ts';
import { GoingBar, GoingQuestion, useRemoval } from './removal.tsx';
import { SurveyPreview } from './survey-preview.tsx';
import { ShownQuestion } from './shown-question.tsx';

function SurveyView({ row, resource, reload }: TabProps) {
  const record = `${apiOf(resource)}${row.id}/`;
  const path = `${record}survey_spec/`;
  const { data, error, reload: again } = useQuery<Survey>(path);
  const failure = error.value && <Failure error={error.value} what={t`survey`} again={again} />;
  // where it was read before, a question that somebody is typing stays
  if (failure && !data.value) return failure;
  if (!data.value) return <Loading what={t`the survey`} />;
  const { name = '', description = '', spec = [] } = data.value;
  const store = async (questions: Question[]) => {
    if (questions.length) await post(path, { name, description, spec: questions });
    else await request('DELETE', path);
    await again();
  };
  const enable = async (on: boolean) => {
    await request('PATCH', record, { body: { survey_enabled: on } });
    await reload();
  };
  return (
    <>
      {failure}
      {may(row, 'edit') && spec.length > 0 && (
        <CheckField
          label={t`Ask these questions at each launch`}
          name="survey_enabled"
          checked={row['survey_enabled'] === true}
          onValue={(on) => void attempt(() => enable(on))}
        />
      )}
      <Questions questions={spec} store={store} editable={may(row, 'edit')} />
    </>
  );
}

interface Props {
  questions: Question[];
  store: (questions: Question[]) => Promise<void>;
  editable: boolean;
}

function Questions({ questions, store, editable }: Props) {
  /** position of the question that is edited; one past the end is a new one */
  const edited = useSignal<number | null>(null);
  const removal = useRemoval(questions, store);
  const close = () => void (edited.value = null);
  const storeAt = async (i: number, question: Question) => {
    await store(i < questions.length ? questions.with(i, question) : [...questions, question]);
    close();
  };
  const form = (i: number) => (
    <QuestionForm question={questions[i]} onCancel={close} onStore={(question) => storeAt(i, question)} />
  );
  const up = (i: number) => attempt(() => store(questions.toSpliced(i, 1).toSpliced(i - 1, 0, questions[i]!)));
  return (
    <>
      {questions.length === 0 && edited.value === null && <p class="empty">{t`The survey has no question.`}</p>}
      <ol class="questions">
        {questions.map((question, i) => (
          <li key={question.variable}>
            {edited.value === i ? (
              form(i)
            ) : removal.isGoing(question) ? (
              <GoingQuestion question={question} onBack={() => removal.turn(question)} />
            ) : (
              <ShownQuestion
                question={question}
                editable={editable}
                onUp={i > 0 ? () => void up(i) : undefined}
                onEdit={() => void (edited.value = i)}
                onRemove={() => removal.turn(question)}
              />
            )}
          </li>
        ))}
      </ol>
      <GoingBar removal={removal} />
      {editable && edited.value === questions.length && form(questions.length)}
      {removal.staying.length > 0 && edited.value === null && <SurveyPreview questions={removal.staying} />}
      {editable && edited.value === null && (
        <button type="button" onClick={() => void (edited.value = questions.length)}>{t`Add question`}</button>
      )}
    </>
  );
}

export const surveyTab: Tab = { id: 'survey', label: t`Survey`, content: SurveyView };

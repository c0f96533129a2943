import { useSignal } from '@preact/signals';
import {
  CheckField,
  Form,
  masked,
  SecretField,
  SelectField,
  TextField,
  type TextProps,
  useFields,
  t,
} from '@tapline/console-kit';
import { isChoice, linesOf, type Question, questionTypes } from './questions.ts';

interface Props {
  question?: Question | undefined;
  onStore: (question: Question) => Promise<void>;
  onCancel: () => void;
}

const names = ['question_name', 'question_description', 'variable', 'choices', 'default', 'min', 'max'] as const;
type Texts = Record<(typeof names)[number], string>;

/** One question of a survey; what is wrong with it, the service says. */
export function QuestionForm({ question, onStore, onCancel }: Props) {
  const { values: texts, errors, bind } = useFields<keyof Texts>(textsOf(question));
  const type = useSignal(question?.type ?? 'text');
  const required = useSignal(question?.required ?? true);
  return (
    <Form
      submit={t`Store question`}
      errors={errors}
      known={names}
      onCancel={onCancel}
      onSubmit={() => onStore(questionOf(texts.value, type.value, required.value, question))}
    >
      <TextField {...bind('question_name')} label={t`Question`} required />
      <TextField {...bind('question_description')} label={t`Explanation`} />
      <TextField
        {...bind('variable')}
        label={t`Variable`}
        required
        code
        hint={t`The extra variable that holds the answer.`}
      />
      <SelectField
        label={t`Type of the answer`}
        name="type"
        preset
        value={type.value}
        choices={questionTypes}
        onValue={(value) => void (type.value = value)}
      />
      <Limits type={type.value} bind={bind} />
      <CheckField
        label={t`An answer is required`}
        name="required"
        checked={required.value}
        onValue={(on) => void (required.value = on)}
      />
    </Form>
  );
}

function textsOf(question: Question | undefined): Texts {
  const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));
  const given = names.map((name) => [
    name,
    name === 'choices' ? linesOf(question?.choices).join('\n') : text(question?.[name]),
  ]);
  return Object.fromEntries(given) as Texts;
}

type Bind = (name: keyof Texts) => Pick<TextProps, 'name' | 'value' | 'errors' | 'onValue'>;

/** What answers of a type may be, and what they are unless somebody says otherwise. */
function Limits({ type, bind }: { type: string; bind: Bind }) {
  const numeric = type === 'integer' || type === 'float';
  const long = type === 'textarea' || type === 'multiselect';
  return (
    <>
      {isChoice(type) ? (
        <TextField {...bind('choices')} label={t`Choices, one a line`} required lines={4} />
      ) : (
        <>
          <TextField {...bind('min')} label={numeric ? t`Smallest` : t`Shortest`} type="number" />
          <TextField {...bind('max')} label={numeric ? t`Largest` : t`Longest`} type="number" />
        </>
      )}
      {type === 'password' ? (
        <SecretField {...bind('default')} label={t`Default`} />
      ) : (
        <TextField {...shownDefault(bind('default'))} label={t`Default`} lines={long ? 3 : 1} />
      )}
    </>
  );
}

/** The default of a password is none of another type's. */
const shownDefault = <T extends { value: string }>(field: T): T => ({
  ...field,
  value: field.value === masked ? '' : field.value,
});

function questionOf(texts: Texts, type: string, required: boolean, before?: Question): Question {
  const { question_name, question_description, variable, choices, min, max } = texts;
  const number = (text: string) => (text === '' ? null : Number(text));
  const given = type !== 'password' && texts.default === masked ? '' : texts.default;
  const numeric = (type === 'integer' || type === 'float') && given !== '';
  return {
    ...before,
    question_name,
    question_description,
    variable,
    type,
    required,
    choices: isChoice(type) ? linesOf(choices) : '',
    min: isChoice(type) ? null : number(min),
    max: isChoice(type) ? null : number(max),
    default: numeric ? Number(given) : given,
  };
}

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { ApiFailure, type FieldErrors, Form, go, pageOf, type Template, t, useLauncher } from '@tapline/console-kit';
import { PasswordFields } from './password-fields.tsx';
import { type Answers, firstAnswers, withAnswers } from '../../survey/answers.ts';
import type { Question } from '../../survey/questions.ts';
import { SurveyFields } from '../../survey/survey-fields.tsx';
import { PromptField } from './prompt-field.tsx';
import { defaultValue, launchBody, type LaunchInfo, type LaunchOptions, prompts, type Value } from './prompts.ts';

interface Props {
  /** of the templates: `job_templates` */
  api: string;
  template: Template;
  info: LaunchInfo;
  options: LaunchOptions;
  /** of the survey, where it is on */
  questions: readonly Question[];
}

export function LaunchForm({ api, template, info, options, questions }: Props) {
  const asked = useMemo(() => prompts.filter(({ flag }) => info[flag]), [info]);
  const values = useSignal<Record<string, Value>>(
    Object.fromEntries(asked.map((prompt) => [prompt.key, defaultValue(prompt, info)])),
  );
  const names = useSignal(info.passwords_needed_to_start ?? []);
  const passwords = useSignal<Record<string, string>>({});
  const answers = useSignal<Answers>(firstAnswers(questions));
  const errors = useSignal<FieldErrors>({});

  const launch = useLauncher();

  const submit = async () => {
    const body = withAnswers(launchBody(asked, info, values.value, passwords.value), questions, answers.value);
    try {
      const { type, id } = await launch<{ type: string; id: number }>(`${api}/${template.id}/launch/`, body);
      // what is cut in slices is launched as a workflow
      go(pageOf(type, id) ?? '/jobs');
    } catch (error) {
      // other credentials may need other passwords
      const needed = error instanceof ApiFailure ? error.body?.passwords_needed_to_start : undefined;
      if (Array.isArray(needed)) names.value = [...new Set([...names.value, ...needed])];
      throw error;
    }
  };

  return (
    <Form
      submit={t`Launch`}
      busy={t`Launching …`}
      errors={errors}
      known={[...asked.map(({ key }) => key), 'credential_passwords']}
      onSubmit={submit}
      explain={explain}
    >
      {asked.length + questions.length === 0 && names.value.length === 0 && (
        <p>{t`It asks for nothing: launch it as it is.`}</p>
      )}
      <SurveyFields questions={questions} answers={answers} />
      {asked.map((prompt) => (
        <PromptField
          key={prompt.key}
          prompt={prompt}
          option={options[prompt.key]}
          required={prompt.key === 'inventory' && info.inventory_needed_to_start === true}
          value={values.value[prompt.key]!}
          errors={errors.value[prompt.key]}
          onValue={(value) => void (values.value = { ...values.value, [prompt.key]: value })}
        />
      ))}
      <PasswordFields names={names.value} passwords={passwords} errors={errors.value} />
    </Form>
  );
}

/** Refusals of plugins bring their reasons; missing passwords are marked at their fields. */
export function explain(failure: ApiFailure) {
  const { body } = failure;
  if (Array.isArray(body?.variables_needed_to_start))
    return body.variables_needed_to_start.map((text: unknown) => <p key={String(text)}>{String(text)}</p>);
  if (Array.isArray(body?.passwords_needed_to_start)) return <p>{t`Passwords are needed to start this job.`}</p>;
  if (failure.status !== 403 || !Array.isArray(body?.reasons)) return null;
  return (
    <>
      <p>{failure.message}</p>
      <ul>
        {body.reasons.map((reason: unknown) => (
          <li key={String(reason)}>{String(reason)}</li>
        ))}
      </ul>
    </>
  );
}

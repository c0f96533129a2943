import type { Knex } from 'knex';
import { surveyDefaultCell } from '../secrets/cells.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { masked } from '../secrets/masked.ts';
import { hasDefault, linesOf, type Question, questionsOf, type Survey } from './survey.ts';

type Shown = Survey | Record<string, never>;

/** A survey with the defaults of its passwords made anew. */
function withPasswords(stored: unknown, password: (question: Question) => string): Shown {
  const questions = questionsOf(stored);
  if (!questions.length) return {};
  const spec = questions.map((question) =>
    question.type === 'password' && hasDefault(question) ? { ...question, default: password(question) } : question,
  );
  return { ...(stored as Survey), spec };
}

/** As clients, taps and the activity stream see it. */
export const shownSurvey = (stored: unknown): Shown => withPasswords(stored, () => masked);

/** As a template holds it: `$encrypted$` is what stood there `before`. */
export function sealSurvey(
  keyRing: Pick<KeyRing, 'encrypt'>,
  template: number,
  survey: Survey,
  before: readonly Question[],
): Shown {
  const kept = new Map(before.map(({ variable, default: sealed }) => [variable, sealed]));
  return withPasswords(survey, ({ variable, default: plain }) =>
    plain === masked
      ? String(kept.get(variable))
      : keyRing.encrypt(String(plain), surveyDefaultCell(template, variable)),
  );
}

interface Copied {
  copy: { id: number };
  original: { id: number; survey_spec?: unknown };
  /** else the copy asks for passwords without a default: whoever copies might have its own playbook tell them */
  withSecrets: boolean;
}

/** Secrets are bound to their row: gives a copy its own. */
export async function resealSurvey(
  trx: Knex,
  keyRing: Pick<KeyRing, 'encrypt' | 'decrypt'>,
  { copy, original: { id, survey_spec: stored }, withSecrets }: Copied,
): Promise<void> {
  const anew = ({ variable, default: text }: Question) =>
    keyRing.encrypt(
      keyRing.decrypt(String(text), surveyDefaultCell(id, variable)),
      surveyDefaultCell(copy.id, variable),
    );
  const sealed = withPasswords(stored, withSecrets ? anew : () => '');
  if (questionsOf(sealed).length)
    await trx('templates')
      .where({ id: copy.id })
      .update({ survey_spec: JSON.stringify(sealed) });
}

/** What counts where nobody answers: of its type, as an answer would be; undefined: nothing. */
export function defaultOf(keyRing: Pick<KeyRing, 'decrypt'>, template: number, question: Question): unknown {
  const { type, variable, default: stored } = question;
  if (!hasDefault(question)) return undefined;
  if (type === 'password') return keyRing.decrypt(String(stored), surveyDefaultCell(template, variable));
  return type === 'multiselect' ? linesOf(String(stored)) : stored;
}

import { savedAnswerCell } from '../../secrets/cells.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { masked } from '../../secrets/masked.ts';
import { hasDefault, type Question } from '../../surveys/survey.ts';
import type { Variables } from '../../yaml/variables.ts';

type Sealed = Readonly<Record<string, string>>;

/** Secret answers of a saved set, in plain. */
export const openAnswers = (
  keyRing: Pick<KeyRing, 'decrypt'>,
  table: string,
  { id, survey_passwords: sealed }: { id: number; survey_passwords?: unknown },
): Variables =>
  Object.fromEntries(
    Object.entries((sealed ?? {}) as Sealed).map(([name, text]) => [
      name,
      JSON.parse(keyRing.decrypt(text, savedAnswerCell(table, id, name))),
    ]),
  );

/** As a row keeps them; null: there are none. */
export function sealAnswers(
  keyRing: Pick<KeyRing, 'encrypt'>,
  table: string,
  id: number,
  answers: Variables,
): Sealed | null {
  const sealed = Object.entries(answers).map(([name, value]) => [
    name,
    keyRing.encrypt(JSON.stringify(value), savedAnswerCell(table, id, name)),
  ]);
  return sealed.length ? Object.fromEntries(sealed) : null;
}

export interface SortedAnswers {
  /** what is not secret */
  open: Variables;
  secret: Variables;
  /** names of answers that are to be kept, where nothing is kept */
  missing: string[];
}

/**
 * Variables as they were sent, apart: `$encrypted$` is the answer that is kept already, or the default of its question,
 * which needs no answer.
 */
export function sortAnswers(sent: Variables, kept: Variables, questions: readonly Question[]): SortedAnswers {
  const asked = new Map(questions.map((question) => [question.variable, question]));
  const sorted = { open: [] as [string, unknown][], secret: [] as [string, unknown][], missing: [] as string[] };
  for (const [name, value] of Object.entries(sent)) {
    const question = asked.get(name);
    const password = question?.type === 'password';
    if (value !== masked) sorted[password ? 'secret' : 'open'].push([name, value]);
    else if (Object.hasOwn(kept, name)) sorted.secret.push([name, kept[name]]);
    else if (!(password && hasDefault(question))) sorted.missing.push(name);
  }
  return { ...sorted, open: Object.fromEntries(sorted.open), secret: Object.fromEntries(sorted.secret) };
}

/** As everybody sees them. */
export const shownAnswers = ({ open, secret }: Pick<SortedAnswers, 'open' | 'secret'>): Variables =>
  Object.fromEntries([...Object.entries(open), ...Object.keys(secret).map((name) => [name, masked] as const)]);

import { type Actor, type Columns, forbidden, type PlanRequest, type RunRow } from '@tapline/plugin-sdk';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { type hideVariables, openVariables } from '../../secrets/secret-variables.ts';
import { askedBy } from '../../surveys/survey.ts';
import type { Variables } from '../../yaml/variables.ts';
import type { PromptValues } from './prompt.ts';

/** Key of a run's prompts: names of the variables that are secret answers of who launched it. */
export const SECRET_ANSWERS = 'survey_passwords';

/** Of questions for passwords, answered or not, and what was secret when it was given. */
export const secretNames = (template: Columns, secrets: PlanRequest['secretVariables'] = {}): Set<string> =>
  new Set([
    ...askedBy(template)
      .filter(({ type }) => type === 'password')
      .map(({ variable }) => variable),
    ...Object.keys(secrets),
  ]);

/** As a relaunch repeats them. Variables as text: they may hold what jsonb refuses (NUL, lone surrogates). */
export const storedPrompts = (accepted: PromptValues, { shown, hidden }: ReturnType<typeof hideVariables>) => ({
  ...accepted,
  ...(Object.keys(shown).length ? { extra_vars: JSON.stringify(shown) } : {}),
  ...(Object.keys(hidden).length ? { [SECRET_ANSWERS]: Object.keys(hidden) } : {}),
});

export type LaunchedRun = RunRow & { prompts: Record<string, unknown> | null };

/**
 * What the first launch answered and nobody may see, in plain. Without its template a run is repeated with all that it had.
 * @throws ApiError 403: whoever gave them, and nobody else, has them used again
 */
export function secretAnswers(keyRing: Pick<KeyRing, 'decrypt'>, actor: Actor | null, run: LaunchedRun): Variables {
  const given = new Set((run.prompts?.[SECRET_ANSWERS] ?? []) as string[]);
  if (given.size && !actor?.is_superuser && run.created_by_id !== actor?.id)
    throw forbidden('It was launched with secret answers to its survey, which somebody else gave.');
  const kept = Object.entries(openVariables(keyRing, run)).filter(
    ([name]) => run.template_id === null || given.has(name),
  );
  return Object.fromEntries(kept);
}

import { type Actor, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { runsEverything } from './named.ts';
import type { Prompt } from './prompt.ts';
import type { LaunchedRun } from './secret-answers.ts';

/**
 * A prompt that was switched off since may be repeated only by who may run everything of the organization.
 * @throws ApiError 403
 */
export async function assertPromptsStillAsked(
  db: Knex,
  actor: Actor | null,
  prompts: readonly Prompt[],
  run: LaunchedRun,
): Promise<void> {
  const template = await db('templates').where({ id: run.template_id }).first();
  // a survey asks for variables too
  const asks = (flag: string) => template?.[flag] || (flag === 'ask_variables_on_launch' && template?.survey_enabled);
  const off = prompts.find(({ name, flag }) => Object.hasOwn(run.prompts ?? {}, name) && !asks(flag));
  if (off && !(await runsEverything(db, actor, run.organization_id)))
    throw forbidden(`The template does not ask for ${off.name} any more.`);
}

import { type LaunchTemplate, type Row, ValidationError, type WriteContext } from '@tapline/plugin-sdk';
import { nextId } from '../../db/next-id.ts';
import { storableDeep } from '../../descriptors/read/scalar.ts';
import { assertRights, rightsOfLink } from '../../rbac/rights.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Settings } from '../../settings/settings.ts';
import { askedBy } from '../../surveys/survey.ts';
import { readVariables, type Variables, VariablesError } from '../../yaml/variables.ts';
import type { RunKinds } from '../kinds.ts';
import { prompts } from '../prompts/prompts.ts';
import { openAnswers, sealAnswers, shownAnswers, sortAnswers } from './answers.ts';
import { columnOf, nothingSaved, savedPromptNames } from './fields.ts';
import { promptsOf, savedLists } from './launch.ts';
import { emptyLists, forgotten, leaveUnasked, leaveUnusable, withoutSecrets } from './move.ts';
import { planSaved, problemsOf } from './plan.ts';
import type { SavedIn } from './store.ts';

export interface SavedDeps {
  kinds: RunKinds;
  keyRing: KeyRing;
  settings: Pick<Settings, 'get'>;
}

export interface SavedCheck {
  saved: SavedIn;
  /** kind of the origin of the launches to come: `schedule`, `workflow` */
  origin: string;
  /** `part`: what is missing may come with a later launch */
  ahead: 'whole' | 'part';
}

/**
 * For `validate` of a resource with saved prompts: holds them against the template that the row names, and readies what is
 * stored; without a template nothing is saved. A change that sends none of them and names no other template is not judged.
 * Of what a row has that goes to another template, only what its mover may use and what that template asks for goes along.
 * @throws ValidationError with all that is wrong, ApiError 403 for an inventory that the caller may not use
 */
export async function checkSavedPrompts(deps: SavedDeps, context: WriteContext, how: SavedCheck): Promise<void> {
  const { trx, input, before, sent } = context;
  const column = 'unified_job_template_id';
  const id = (column in input ? input[column] : before?.[column]) as number | null | undefined;
  const template: LaunchTemplate | undefined = id == null ? undefined : await trx('templates').where({ id }).first();
  if (!template) {
    // nothing of it is kept, but what is no variables is still told
    await readSent(input['extra_data'] ?? {}, deps.settings);
    if (before) await emptyLists(trx, how.saved, [before.id]);
    return void Object.assign(input, forgotten);
  }
  const moved = before && column in input && input[column] !== before[column] ? { ...context, before } : undefined;
  if (before && !moved && !savedPromptNames.some((name) => sent.has(name))) return;
  if (moved) await leaveUnusable(moved, how.saved, template);
  const answers = await answersOf(deps, context, how, { template, moved: Boolean(moved) });
  let plan = await planOf(deps, context, how, { template, answers });
  if (moved && (await leaveUnasked(moved, how.saved, plan, answers)))
    plan = await planOf(deps, context, how, { template, answers });
  const problems = problemsOf(plan);
  if (Object.keys(problems).length) throw new ValidationError(problems);
  await assertMayUseNamed(context, template);
  await keepAnswers(deps, context, how.saved, answers);
}

/** What a launch of the template would be with all that the row will have. */
async function planOf(
  { kinds }: SavedDeps,
  { trx, input, before, call }: WriteContext,
  { saved, origin, ahead }: SavedCheck,
  { template, answers }: { template: LaunchTemplate; answers: { open: Variables; secret: Variables } },
) {
  const row = { ...nothingSaved, ...before, ...input } as Row;
  const lists = before && (await savedLists(trx, saved, [before.id])).get(before.id);
  return planSaved(kinds, trx, template, {
    prompts: promptsOf(row, answers.open, lists),
    secretVariables: answers.secret,
    origin,
    ip: call.ip,
    ahead,
  });
}

/** Variables as sent, or as they are. */
async function answersOf(
  { keyRing, settings }: SavedDeps,
  { input, before, call }: WriteContext,
  { saved }: SavedCheck,
  { template, moved }: { template: Row; moved: boolean },
) {
  const leaves = moved && !call.actor?.is_superuser;
  const had = (before?.['extra_data'] ?? {}) as Variables;
  const sent = await readSent(input['extra_data'] ?? (leaves ? withoutSecrets(had) : had), settings);
  const kept = before && !leaves ? openAnswers(keyRing, saved.table, before) : {};
  const sorted = sortAnswers(sent, kept, askedBy(template));
  if (sorted.missing.length)
    throw ValidationError.field('extra_data', `There is no answer to keep for: ${sorted.missing.join(', ')}.`);
  return sorted;
}

async function readSent(value: unknown, settings: SavedDeps['settings']): Promise<Variables> {
  try {
    const variables = await readVariables(value, { maxLength: Number(settings.get('MAX_VARIABLES_LENGTH')) });
    if (storableDeep(variables)) return variables;
  } catch (error) {
    if (error instanceof VariablesError) throw ValidationError.field('extra_data', error.message);
    throw error;
  }
  throw ValidationError.field('extra_data', 'Null characters and unpaired surrogates are not allowed.');
}

/** The template's own may be named by everybody. */
async function assertMayUseNamed({ trx, call, input, before }: WriteContext, template: Row): Promise<void> {
  const needed = prompts.flatMap(({ name, names: { use } = {} }) => {
    const column = columnOf(name);
    if (!use || !savedPromptNames.includes(name)) return [];
    const rights = rightsOfLink(use.type, use.field, column, before, input);
    return rights.filter(({ id }) => id === input[column] && id !== template[column]);
  });
  await assertRights(trx, call.actor, needed);
}

async function keepAnswers(
  { keyRing }: SavedDeps,
  { trx, input, before }: WriteContext,
  { table }: SavedIn,
  answers: { open: Variables; secret: Variables },
): Promise<void> {
  input['extra_data'] = shownAnswers(answers);
  if (!Object.keys(answers.secret).length) {
    input['survey_passwords'] = null;
    return;
  }
  let id = before?.id;
  if (id === undefined) {
    id = await nextId(trx, table);
    input['id'] = id;
  }
  input['survey_passwords'] = sealAnswers(keyRing, table, id, answers.secret);
}

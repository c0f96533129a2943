import { type Actor, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { type NeededRight, missingRights } from '../../rbac/rights.ts';
import type { Visible } from '../access.ts';
import type { Prompt, PromptedTemplate, PromptValues } from './prompt.ts';

type Given = Readonly<PromptValues>;

const listed = (value: unknown): number[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value as number];

/** The ids of a prompt that the template does not name itself. */
function foreign({ name, names }: Prompt, given: Given, template: PromptedTemplate): number[] {
  const own = new Set(names?.own?.(template));
  return listed(given[name]).filter((id) => !own.has(id));
}

interface Asking {
  template: PromptedTemplate;
  /** null sees all */
  asker: Actor | null;
  visible: Visible;
}

/**
 * Messages for ids that name nothing, by prompt. What `asker` does not see does not exist for it.
 * What the template names itself is never asked about.
 */
export async function missingRecords(
  db: Knex,
  prompts: readonly Prompt[],
  given: Given,
  asking: Asking,
): Promise<Record<string, string[]>> {
  const errors: Record<string, string[]> = {};
  for (const prompt of prompts) {
    const asked = prompt.names ? foreign(prompt, given, asking.template) : [];
    if (!asked.length) continue;
    // a statement for each prompt that names something new, which is seldom more than one
    // oxlint-disable-next-line no-await-in-loop
    const known = new Set(await existing(db, prompt, asked, asking));
    const missing = asked.filter((id) => !known.has(id));
    if (missing.length) errors[prompt.name] = missing.map((id) => `Invalid pk "${id}" - object does not exist.`);
  }
  return errors;
}

async function existing(db: Knex, { names }: Prompt, ids: number[], { asker, visible }: Asking): Promise<number[]> {
  if (!names?.table) return [];
  const rows = db(`${names.table} as n`).whereRaw('n.id = any (?)', [ids]);
  if (asker) visible(names.type).query(asker, rows, 'n');
  return rows.pluck('n.id');
}

/** What was asked about the records before: where it was by nobody, whether the actor sees them is asked here. */
interface Using extends Asking {
  accepted: Given;
  organizationId?: number | null | undefined;
}

/**
 * @throws ApiError 403 when the actor may not use a record that the template does not name itself, or may not see one that needs
 * no more than that. A relaunch may also rest on the right to run whatever an organization has: `organizationId` names the one
 * that counts.
 */
export async function assertMayUse(
  db: Knex,
  actor: Actor | null,
  prompts: readonly Prompt[],
  { template, accepted, organizationId, asker, visible }: Using,
): Promise<void> {
  const needed = prompts.flatMap((prompt) =>
    prompt.names?.use
      ? foreign(prompt, accepted, template).map((id): NeededRight => ({ ...prompt.names!.use!, id }))
      : [],
  );
  const [unusable] = await missingRights(db, actor, needed);
  const lacked = unusable
    ? { right: 'use', ...unusable }
    : !asker && (await firstHidden(db, prompts, accepted, { template, asker: actor, visible }));
  if (!lacked || (await runsEverything(db, actor, organizationId))) return;
  throw forbidden(`You do not have the ${lacked.right} right on ${lacked.type} ${lacked.id}.`);
}

/** Of records that need no more than to be seen. */
async function firstHidden(db: Knex, prompts: readonly Prompt[], accepted: Given, asking: Asking) {
  for (const prompt of prompts) {
    const asked = prompt.names && !prompt.names.use ? foreign(prompt, accepted, asking.template) : [];
    if (!asked.length) continue;
    // a statement for each prompt that names something new, of which there are two
    // oxlint-disable-next-line no-await-in-loop
    const known = new Set(await existing(db, prompt, asked, asking));
    const hidden = asked.find((id) => !known.has(id));
    if (hidden !== undefined) return { right: 'read', type: prompt.names!.type, id: hidden };
  }
  return undefined;
}

/** The actor may run whatever the organization has. */
export async function runsEverything(db: Knex, actor: Actor | null, organizationId?: number | null): Promise<boolean> {
  if (actor?.is_superuser) return true;
  if (organizationId == null) return false;
  const missing = await missingRights(db, actor, [{ type: 'organization', field: 'execute_role', id: organizationId }]);
  return !missing.length;
}

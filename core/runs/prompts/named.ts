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
  for (const { name, id } of await missingIds(db, prompts, given, asking))
    (errors[name] ??= []).push(`Invalid pk "${id}" - object does not exist.`);
  return errors;
}

interface MissingId {
  /** of the prompt */
  name: string;
  type: string;
  id: number;
}

async function missingIds(db: Knex, prompts: readonly Prompt[], given: Given, asking: Asking): Promise<MissingId[]> {
  const missing: MissingId[] = [];
  for (const prompt of prompts) {
    const { name, names } = prompt;
    const asked = names ? foreign(prompt, given, asking.template) : [];
    if (!names || !asked.length) continue;
    // a statement for each prompt that names something new, which is seldom more than one
    // oxlint-disable-next-line no-await-in-loop
    const known = new Set(await existing(db, prompt, asked, asking));
    missing.push(...asked.filter((id) => !known.has(id)).map((id) => ({ name, type: names.type, id })));
  }
  return missing;
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
 * What the actor lacks, in words, to use a record that the template does not name itself, or to see one that needs no more than
 * that. A relaunch may also rest on the right to run whatever an organization has: `organizationId` names the one that counts.
 */
export async function lackedRight(
  db: Knex,
  actor: Actor | null,
  prompts: readonly Prompt[],
  { template, accepted, organizationId, asker, visible }: Using,
): Promise<string | undefined> {
  const needed = prompts.flatMap((prompt) =>
    prompt.names?.use
      ? foreign(prompt, accepted, template).map((id): NeededRight => ({ ...prompt.names!.use!, id }))
      : [],
  );
  const [unusable] = await missingRights(db, actor, needed);
  const unasked = unusable || asker ? [] : prompts.filter(({ names }) => !names?.use);
  const [hidden] = await missingIds(db, unasked, accepted, { template, asker: actor, visible });
  const lacked = unusable ?? hidden;
  if (!lacked || (await runsEverything(db, actor, organizationId))) return undefined;
  return `You do not have the ${unusable ? 'use' : 'read'} right on ${lacked.type} ${lacked.id}.`;
}

/** @throws ApiError 403 where a right is lacked */
export async function assertMayUse(...asked: Parameters<typeof lackedRight>): Promise<void> {
  const lacked = await lackedRight(...asked);
  if (lacked) throw forbidden(lacked);
}

/** The actor may run whatever the organization has. */
export async function runsEverything(db: Knex, actor: Actor | null, organizationId?: number | null): Promise<boolean> {
  if (actor?.is_superuser) return true;
  if (organizationId == null) return false;
  const missing = await missingRights(db, actor, [{ type: 'organization', field: 'execute_role', id: organizationId }]);
  return !missing.length;
}

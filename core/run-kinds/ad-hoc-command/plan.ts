import type { PlanRequest, RunPlan } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { KeyRing } from '../../secrets/key-ring.ts';
import type { Settings } from '../../settings/settings.ts';
import { shownBy } from '../../inventory/federated.ts';
import type { Visible } from '../../runs/access.ts';
import { assertRights } from '../../rbac/rights.ts';
import { impactOf } from '../execution/impact.ts';
import { readLaunchBody } from '../../runs/prompts/read.ts';
import type { Variables } from '../../yaml/variables.ts';
import { loadCredentials } from '../job/launch/load.ts';
import { allPasswordsNeeded, type LaunchCredential } from '../job/launch/passwords.ts';
import { commandProblems } from './check-command.ts';
import { type CommandPrompts, commandPrompts } from './prompts.ts';

export interface PlanDeps {
  keyRing: Pick<KeyRing, 'decrypt'>;
  settings: Settings;
  visible: Visible;
}

interface CommandInventory {
  id: number;
  name: string;
  pending_deletion: boolean;
  organization_id: number;
  organization: string;
  /** the inventories that it shows */
  shows: number[];
}

/** contract/jobs.md §19: what a command would run, or everything that is wrong with it. */
export async function planCommand(deps: PlanDeps, request: PlanRequest): Promise<RunPlan> {
  const { db, authority } = request;
  const { given, passwords, errors } = await readLaunchBody(commandPrompts, request.prompts, deps.settings);
  const command: CommandPrompts = { module_name: 'command', module_args: '', ...given };
  const [inventory, credential, environment] = await Promise.all([
    loadInventory(db, command.inventory),
    loadCredential(db, command.credential),
    loadEnvironment(deps, request, command.execution_environment),
  ]);
  if (authority)
    await assertRights(db, authority, [
      ...(inventory ? [{ type: 'inventory', field: 'adhoc_role', id: inventory.id } as const] : []),
      ...(credential ? [{ type: 'credential', field: 'use_role', id: credential.id } as const] : []),
    ]);
  const needed = credential ? allPasswordsNeeded([credential], deps.keyRing) : [];
  const missing = needed.filter((name) => !passwords[name]);
  return {
    columns: columnsOf(command, request, inventory),
    errors: {
      ...commandProblems(deps.settings, command, { inventory, credential, environment }),
      ...(missing.length ? { passwords_needed_to_start: missing } : {}),
      ...errors,
    },
    credentials: credential ? [credential.id] : [],
    passwords: Object.fromEntries(Object.entries(passwords).filter(([name]) => needed.includes(name))),
    ...(inventory && { locks: locksOf(inventory), uses: usesOf(inventory, credential) }),
  };
}

/** As a relaunch repeats it, and as the engine is told. */
function columnsOf(
  { extra_vars: variables, module_name: module, module_args, ...command }: CommandPrompts,
  { prompts, columns }: PlanRequest,
  inventory: CommandInventory | null,
): Record<string, unknown> {
  const text = variablesText(prompts['extra_vars'], variables);
  const plain = ['job_type', 'limit', 'forks', 'verbosity', 'diff_mode', 'become_enabled'] as const;
  return {
    name: module,
    ...Object.fromEntries(plain.map((name) => [name, command[name]]).filter(([, value]) => value !== undefined)),
    extra_vars: text,
    inventory_id: inventory?.id ?? null,
    organization_id: inventory?.organization_id ?? null,
    credential_id: command.credential ?? null,
    execution_environment_id: command.execution_environment ?? null,
    impact: impactOf(command.forks ?? 0),
    data: JSON.stringify({ module_name: module, module_args }),
    prompts: JSON.stringify({ ...command, module_name: module, module_args, extra_vars: text }),
    ...columns,
  };
}

/** A text is kept as it was sent. */
const variablesText = (sent: unknown, read: Variables | undefined): string =>
  typeof sent === 'string' ? sent : read ? JSON.stringify(read) : '';

async function loadInventory(db: Knex, id: number | undefined): Promise<CommandInventory | null> {
  if (id === undefined) return null;
  const row: CommandInventory | undefined = await db('inventories as i')
    .leftJoin('organizations as o', 'o.id', 'i.organization_id')
    .where({ 'i.id': id })
    .first(
      'i.id',
      'i.name',
      'i.pending_deletion',
      'i.organization_id',
      { organization: 'o.name' },
      db.raw(`array(${shownBy('i')}) as shows`),
    );
  return row ?? null;
}

const loadCredential = async (db: Knex, id: number | undefined): Promise<LaunchCredential | null> =>
  id === undefined ? null : ((await loadCredentials(db, [id]))[0] ?? null);

/** What whoever commands does not see does not exist for it, nor in what it repeats. */
async function loadEnvironment(
  { visible }: PlanDeps,
  { db, authority }: PlanRequest,
  id: number | undefined,
): Promise<{ id: number } | null> {
  if (id === undefined) return null;
  const found = db('execution_environments as n').where({ 'n.id': id });
  if (authority) visible('execution_environment').query(authority, found, 'n');
  return (await found.first('n.id')) ?? null;
}

/** One at a time on an inventory and on those that it shows, and not while their hosts are being fetched; jobs wait as well (contract/jobs.md §11.4). */
function locksOf({ id, shows }: CommandInventory): RunPlan['locks'] {
  const keys = [id, ...shows].map((one) => `inventory:${one}`);
  return { holds: keys, waitsFor: keys };
}

const usesOf = (inventory: CommandInventory, credential: LaunchCredential | null): RunPlan['uses'] => ({
  organization: { id: inventory.organization_id, name: inventory.organization },
  inventory: { id: inventory.id, name: inventory.name },
  credentials: credential
    ? [{ id: credential.id, name: credential.name, kind: credential.type.namespace ?? credential.type.kind }]
    : [],
});

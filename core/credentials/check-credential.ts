import { ApiError, type Row, ValidationError, type WriteContext, forbidden } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { nextId } from '../db/next-id.ts';
import { credentialLinks } from './rules.ts';
import { assertLinks } from '../rbac/rights.ts';
import { giveCredentialToTeam, giveToCreator } from '../rbac/roles.ts';
import { type KeyRing, isCiphertext } from '../secrets/key-ring.ts';
import { checkInputs } from './check-inputs.ts';
import { isInUse } from './in-use.ts';
import type { InputSchema, Inputs } from './input-schema.ts';
import { masked } from '../secrets/masked.ts';
import { openInputs, sealInputs } from './stored-inputs.ts';
import { evaluatedInputs } from './types/machine.ts';
import { holdsExpression } from '../yaml/expressions.ts';

export type CredentialRow = Row & {
  managed: boolean;
  credential_type_id: number;
  user_id: number | null;
  /** write only */
  team: number | null;
  inputs: Record<string, unknown>;
};

interface TypeRow {
  id: number;
  namespace: string | null;
  inputs: InputSchema;
}

/** Judges a credential before it is written and seals its secrets. */
export async function checkCredential(keyRing: KeyRing, context: WriteContext<CredentialRow>): Promise<void> {
  const { trx, input, before } = context;
  if (before?.managed) throw forbidden('Managed credentials cannot be changed.');
  if (before) {
    delete input.user_id;
    delete input.team;
    await assertLinks(context, credentialLinks);
  } else await assertOneOwner(context);

  const type: TypeRow = await trx('credential_types')
    .where({ id: input.credential_type_id ?? before?.credential_type_id })
    .forKeyShare()
    .first('id', 'namespace', 'inputs');
  const sent = sentInputs(context, type);
  // the secrets are bound to the row, so a new one needs its id before it is there
  const id = before?.id ?? (await nextId(trx, 'credentials'));
  const sameType = before && type.id === before.credential_type_id;
  if (before && !sameType) await assertTypeMayChange(trx, before);
  if (sent === undefined) return;
  const stored = sameType ? openInputs(keyRing, type.inputs, id, wanted(before.inputs as Inputs, sent)) : null;
  const linked = before
    ? await trx('credential_input_sources').where({ target_credential_id: id }).pluck('input_field_name')
    : [];
  const checked = await checkInputs({ schema: type.inputs, sent, stored, linked });
  if (type.namespace === 'ssh') assertNoExpressions(checked);
  input.inputs = sealInputs(keyRing, type.inputs, id, checked);
  if (!before) input.id = id;
}

function assertNoExpressions(inputs: Inputs): void {
  const wrong = evaluatedInputs.filter((name) => holdsExpression(String(inputs[name] ?? '')));
  const told = Object.fromEntries(wrong.map((name) => [name, ['must not hold an expression']]));
  if (wrong.length) throw new ValidationError({ inputs: told });
}

/** The inputs object to judge; undefined when the stored ones stay as they are. */
function sentInputs(
  { input, before, sent }: WriteContext<CredentialRow>,
  type: TypeRow,
): Record<string, unknown> | undefined {
  if (sent.has('inputs')) return input.inputs;
  if (!before) return {};
  // a secret of the old type could be a plain input of the new one
  if (type.id !== before.credential_type_id && Object.keys(before.inputs).length) {
    throw ValidationError.field('inputs', 'These must be given again together with another credential type.');
  }
  return undefined;
}

async function assertOneOwner({ trx, input }: WriteContext): Promise<void> {
  const owners = [input.user_id, input.organization_id, input.team].filter(
    (owner) => owner !== null && owner !== undefined,
  );
  if (!owners.length)
    throw new ApiError(400, { detail: ['One of user, team and organization must own the credential.'] });
  if (owners.length > 1)
    throw new ApiError(400, { detail: ['A credential has one owner: give only one of user, team and organization.'] });
  if (input.team == null) return;
  const team = await trx('teams').where({ id: input.team }).first('organization_id');
  if (!team) throw ValidationError.field('team', `Invalid pk "${input.team}" - object does not exist.`);
  // it belongs to the team's organization; the team is given its roles
  input.organization_id = team.organization_id;
}

/** Only what is to be kept is opened: a secret whose key is lost can still be replaced. */
const wanted = (stored: Inputs, sent: Record<string, unknown>): Inputs =>
  Object.fromEntries(Object.entries(stored).filter(([name, value]) => sent[name] === masked || !isCiphertext(value)));

async function assertTypeMayChange(trx: Knex, { id }: { id: number }): Promise<void> {
  if (await isInUse(trx, id))
    throw ValidationError.field(
      'credential_type',
      'The type of a credential that is in use cannot be changed: it may break what uses it.',
    );
}

/** Inputs for a copy of a row, readable under the copy's id. */
export function resealFor(
  keyRing: KeyRing,
  schema: InputSchema,
  from: { id: number; inputs: Inputs },
  id: number,
): Inputs {
  return sealInputs(keyRing, schema, id, openInputs(keyRing, schema, from.id, from.inputs));
}

/** Who a new credential was made for holds its roles. */
export async function giveToOwner({ trx, input }: WriteContext<CredentialRow>, { id }: { id: number }): Promise<void> {
  if (input.user_id != null) await giveToCreator(trx, 'credential', id, input.user_id);
  if (input.team != null) await giveCredentialToTeam(trx, id, input.team);
}

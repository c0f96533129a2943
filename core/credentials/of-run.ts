import { SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import type { KeyRing } from '../secrets/key-ring.ts';
import { type LookupDeps, lookUpInputs } from './lookups.ts';
import { loadCredentials, type ResolvedCredential } from './resolve.ts';
import { secretsOf } from './secrets-of.ts';

/**
 * The credentials of a run that starts, what is kept elsewhere looked up (contract/jobs.md §7).
 * @throws SpecError naming credential and fields where mandatory inputs are missing, or cannot be looked up
 */
export async function credentialsOfRun(deps: LookupDeps, ids: readonly number[]): Promise<ResolvedCredential[]> {
  const credentials = await lookUpInputs(deps, await loadCredentials(deps.db, deps.keyRing, ids));
  const lacking = credentials.filter(({ missing }) => missing.length);
  if (lacking.length)
    throw new SpecError(
      lacking.map(({ name, missing }) => `Credential "${name}" lacks ${missing.join(', ')}.`).join(' '),
    );
  return credentials;
}

/** What they hold, to be masked in output that a former process did not read any more. */
export const secretTexts = async (
  { db, keyRing }: { db: Knex; keyRing: KeyRing },
  ids: readonly number[],
): Promise<string[]> => (await loadCredentials(db, keyRing, ids)).flatMap(secretsOf);

import { createHash } from 'node:crypto';
import { type MovedRun, SpecError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { loadCredentials, type ResolvedCredential } from '../../credentials/resolve.ts';
import type { KeyRing } from '../../secrets/key-ring.ts';

/** What an update verifies the content by, as it was when the update began. */
export interface VerifiedBy {
  credential: number | null;
  /** digest of the key; null where it is looked up elsewhere, which may answer something else each time */
  key: string | null;
}

const name = 'gpg_public_key';

export const keyOf = ({ inputs, links }: Pick<ResolvedCredential, 'inputs' | 'links'>): string | null =>
  links.some(({ field }) => field === name)
    ? null
    : createHash('sha256')
        .update(String(inputs[name] ?? ''))
        .digest('hex');

/**
 * What was verified by another key than the project's of now, or by none, is not taken over. The project's row is locked by
 * now: who changes its key waits for this end, or was before it.
 * @throws SpecError
 */
export async function assertKeyOfNow(
  { db, keyRing }: { db: Knex; keyRing: KeyRing },
  { template_id: project, data }: MovedRun,
): Promise<void> {
  const by = data?.['verified_by'] as VerifiedBy | undefined;
  const row = await db('templates').where({ id: project }).first('signature_validation_credential_id');
  const wanted: number | null = row?.signature_validation_credential_id ?? null;
  if (wanted === null) return;
  const [credential] = await loadCredentials(db, keyRing, [wanted]);
  if (by?.credential === wanted && credential && keyOf(credential) === by.key) return;
  throw new SpecError('What was fetched was not verified by the key that the project has by now: update it again.');
}

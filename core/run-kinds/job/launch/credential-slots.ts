import { ApiError } from '@tapline/plugin-sdk';
import type { Knex } from 'knex';
import { loadCredentials } from './load.ts';
import { type LaunchCredential, slotOf } from './passwords.ts';

/** Kinds of credentials that a job can use. */
const USABLE_KINDS = new Set(['ssh', 'vault', 'cloud', 'net', 'kubernetes']);

/** A template holds one credential of each type; vault credentials one per vault id. */
export async function checkCredentialSlot(
  trx: Knex,
  template: { id: number },
  credential: { id: number },
): Promise<void> {
  // two attachments at once must not both find the place free
  await trx('templates').where({ id: template.id }).forNoKeyUpdate().first('id');
  const others: number[] = await trx('template_credentials')
    .where({ template_id: template.id })
    .whereNot({ credential_id: credential.id })
    .pluck('credential_id');
  const loaded = await loadCredentials(trx, [...others, credential.id]);
  const added = loaded.find(({ id }) => id === credential.id);
  if (!added) return;
  if (!USABLE_KINDS.has(added.type.kind))
    throw new ApiError(400, {
      error: `Credentials of the kind ${added.type.kind} cannot be assigned to a job template.`,
    });
  const other = loaded.find((one) => one.id !== added.id && slotOf(one) === slotOf(added));
  if (other)
    throw new ApiError(400, {
      error: `Cannot assign several ${added.type.name} credentials: "${other.name}" is assigned already.`,
    });
}

/** The template's credentials, those replaced left out whose slot a given one takes. */
export function effectiveCredentials(
  own: readonly LaunchCredential[],
  given: readonly LaunchCredential[],
): LaunchCredential[] {
  const taken = new Set(given.map(slotOf));
  const ids = new Set(given.map((credential) => credential.id));
  return [...own.filter((credential) => !taken.has(slotOf(credential)) && !ids.has(credential.id)), ...given];
}

/** What is wrong with a list of credentials that a launch brings. */
export function credentialProblems(own: readonly LaunchCredential[], given: readonly LaunchCredential[]): string[] {
  const problems: string[] = [];
  const slots = new Map<string, LaunchCredential>();
  for (const credential of given) {
    if (!USABLE_KINDS.has(credential.type.kind))
      problems.push(`Credential "${credential.name}" of kind ${credential.type.kind} cannot be used by a job.`);
    const other = slots.get(slotOf(credential));
    if (other)
      problems.push(
        `Cannot assign several ${credential.type.name} credentials: "${other.name}" and "${credential.name}".`,
      );
    slots.set(slotOf(credential), credential);
  }
  const missing = own.filter((credential) => !slots.has(slotOf(credential)));
  if (missing.length) {
    problems.push(
      `Credentials of the template may be replaced by others of their type but not left out; the list lacks ${missing.map((c) => `"${c.name}"`).join(', ')}.`,
    );
  }
  return problems;
}

import { ApiError } from '@tapline/plugin-sdk';
import { loadCredentials } from './load.ts';
import { slotOf } from './passwords.ts';

const USABLE = new Set(['ssh', 'vault', 'cloud', 'net', 'kubernetes']);

/** A template holds one credential of each type; vault credentials one per vault id. */
export async function checkCredentialSlot(
  trx: any,
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
  if (!USABLE.has(added.type.kind))
    throw new ApiError(400, {
      error: `Credentials of the kind ${added.type.kind} cannot be assigned to a job template.`,
    });
  const other = loaded.find((one) => one.id !== added.id && slotOf(one) === slotOf(added));
  if (other)
    throw new ApiError(400, {
      error: `Cannot assign several ${added.type.name} credentials: "${other.name}" is assigned already.`,
    });
}

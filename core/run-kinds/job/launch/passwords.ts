import { passwordsNeeded } from '../../../credentials/resolve.ts';
import type { Inputs } from '../../../credentials/input-schema.ts';
import type { KeyRing } from '../../../secrets/key-ring.ts';
import { credentialCell } from '../../../secrets/cells.ts';

/** A credential as a launch sees it: inputs as stored, secrets still encrypted. */
export interface LaunchCredential {
  id: number;
  name: string;
  inputs: Inputs;
  type: { id: number; name: string; kind: string; namespace: string | null };
}

export const vaultId = ({ inputs }: LaunchCredential): string => String(inputs['vault_id'] ?? '');

/** One credential per type; vault credentials per type and vault id (contract/jobs.md §7). */
export const slotOf = (credential: LaunchCredential): string =>
  credential.type.kind === 'vault' ? `${credential.type.id}:${vaultId(credential)}` : String(credential.type.id);

/** The passwords that somebody has to give. A key is only opened where its passphrase is not stored. */
export const allPasswordsNeeded = (
  credentials: readonly LaunchCredential[],
  keyRing: Pick<KeyRing, 'decrypt'>,
): string[] =>
  passwordsNeeded(
    credentials.map((credential) => ({ type: credential.type, inputs: withOpenKey(credential, keyRing) })),
  );

function withOpenKey({ id, inputs }: LaunchCredential, keyRing: Pick<KeyRing, 'decrypt'>): Inputs {
  const key = inputs['ssh_key_data'];
  if (typeof key !== 'string' || !key || inputs['ssh_key_unlock']) return inputs;
  try {
    return { ...inputs, ssh_key_data: keyRing.decrypt(key, credentialCell(id, 'ssh_key_data')) };
  } catch {
    // a key that cannot be read is explained when the run is prepared
    return inputs;
  }
}

import type { KeyRing } from '../secrets/key-ring.ts';
import type { Handle } from './executor.ts';

const cell = (run: number) => ({ table: 'runs', column: 'handle.mask', id: run });

/**
 * Passwords given at launch leave the database when the run begins. What has to be kept from its output
 * goes on in the handle, encrypted, so that a process that takes the run over masks it too.
 */
export const sealMask = (keyRing: Pick<KeyRing, 'encrypt'>, run: number, secrets: readonly string[]): string | null =>
  secrets.length ? keyRing.encrypt(JSON.stringify(secrets), cell(run)) : null;

export function openMask(keyRing: Pick<KeyRing, 'decrypt'>, run: number, handle: Handle | null): string[] {
  const sealed = handle?.['mask'];
  return typeof sealed === 'string' ? JSON.parse(keyRing.decrypt(sealed, cell(run))) : [];
}

import type { SecretCell, SecretService } from '@tapline/plugin-sdk';
import type { KeyRing } from '../../secrets/key-ring.ts';
import { tableOf } from '../data/schema-name.ts';

/** The key ring for the tables of one plugin: what it says of a cell cannot name another's. */
export function secretsOf(core: { keyRing: KeyRing }, plugin: string): SecretService {
  const own = ({ table, column, id }: SecretCell) => ({ table: tableOf(plugin, table), column, id });
  return {
    open: (stored, cell) => (stored === '' ? '' : core.keyRing.decrypt(stored, own(cell))),
    seal: (plain, cell) => (plain === '' ? '' : core.keyRing.encrypt(plain, own(cell))),
  };
}

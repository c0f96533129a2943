import { credentialCell } from '../secrets/cells.ts';
import { type KeyRing, isCiphertext } from '../secrets/key-ring.ts';
import { type InputSchema, type Inputs, isSealed } from './input-schema.ts';
import { masked } from '../secrets/masked.ts';

const secretIds = (schema: InputSchema) => new Map((schema.fields ?? []).map((field) => [field.id, field]));

/** Plain inputs to what the row holds: every secret encrypted for this row and input. */
export function sealInputs(keyRing: KeyRing, schema: InputSchema, id: number, plain: Inputs): Inputs {
  const fields = secretIds(schema);
  return Object.fromEntries(
    Object.entries(plain).map(([name, value]) => {
      const field = fields.get(name);
      return [
        name,
        field && isSealed(field, value) ? keyRing.encrypt(value as string, credentialCell(id, name)) : value,
      ];
    }),
  );
}

export function openInputs(keyRing: KeyRing, schema: InputSchema, id: number, stored: Inputs): Inputs {
  const fields = secretIds(schema);
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [
      name,
      fields.get(name)?.secret && isCiphertext(value) ? keyRing.decrypt(value, credentialCell(id, name)) : value,
    ]),
  );
}

/** What a client may see. The form of the value decides, so a secret stays masked whatever its type says by now. */
export const maskInputs = (stored: Inputs): Inputs =>
  Object.fromEntries(Object.entries(stored ?? {}).map(([name, value]) => [name, isCiphertext(value) ? masked : value]));

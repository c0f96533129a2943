import { secretVariableCell } from './cells.ts';
import type { KeyRing } from './key-ring.ts';
import { masked } from './masked.ts';
import { mergeVariables, type Variables } from '../yaml/variables.ts';

/** Variables with those hidden that nobody may see, and what was hidden. */
export function hideVariables(
  variables: Variables,
  names: ReadonlySet<string>,
): { shown: Variables; hidden: Variables } {
  const secret = Object.entries(variables).filter(([name]) => names.has(name));
  const hidden = mergeVariables(Object.fromEntries(secret));
  return { shown: mergeVariables(variables, Object.fromEntries(secret.map(([name]) => [name, masked]))), hidden };
}

/** As a run keeps them: of whatever type, as encrypted JSON. */
export const sealVariables = (
  keyRing: Pick<KeyRing, 'encrypt'>,
  run: number,
  variables: Readonly<Record<string, unknown>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      keyRing.encrypt(JSON.stringify(value) ?? 'null', secretVariableCell(run, name)),
    ]),
  );

/** Of a run, in plain. */
export function openVariables(
  keyRing: Pick<KeyRing, 'decrypt'>,
  { id, survey_passwords: sealed }: { id: number; survey_passwords?: unknown },
): Variables {
  const stored = Object.entries((sealed ?? {}) as Record<string, string>);
  return Object.fromEntries(
    stored.map(([name, text]) => [name, JSON.parse(keyRing.decrypt(text, secretVariableCell(id, name)))]),
  );
}

/** The texts within, to be masked in what comes out. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

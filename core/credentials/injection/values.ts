import type { InputField, Inputs } from '../input-schema.ts';

/** An input as a run is given it; '' where it is blank. */
export function givenValue({ id, type, format }: InputField, inputs: Inputs): string | boolean {
  const value = inputs[id] ?? '';
  if (type === 'boolean') return value === true;
  // what reads keys insists on the end of their last line
  return format === 'ssh_private_key' && value !== '' ? `${String(value).trimEnd()}\n` : value;
}

import { ValidationError } from '@tapline/plugin-sdk';
import { resourceTypes } from '../scanner.ts';

/** @throws ValidationError naming what is none of them */
export function checkAppliesTo(sent: unknown): void {
  const types = sent as readonly unknown[];
  const unknown = types.find((type) => !resourceTypes.includes(type as never));
  if (unknown !== undefined)
    throw ValidationError.field(
      'applies_to',
      `${JSON.stringify(unknown).slice(0, 100)} is none of ${resourceTypes.join(', ')}.`,
    );
  if (new Set(types).size < types.length) throw ValidationError.field('applies_to', 'It names one of them twice.');
}

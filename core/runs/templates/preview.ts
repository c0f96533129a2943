import { type Call, ValidationError } from '@tapline/plugin-sdk';
import { parseBoolean } from '../../descriptors/read/scalar.ts';

/** `?preview=true`: what would happen is told, and does not. */
export function isPreview({ query }: Pick<Call, 'query'>): boolean {
  const text = query.get('preview');
  if (text === null) return false;
  const value = parseBoolean(text);
  if (value === undefined) throw ValidationError.field('preview', 'Must be a valid boolean.');
  return value;
}

import type { Models } from './links.ts';
import { type Model, quote } from './model.ts';

/** SQL of each part of a row's name in addresses; a ref stands for its target's own parts. */
export function namingColumns(models: Models, model: Model, at: string): string[] {
  return (model.resource.naming ?? []).flatMap((name) => {
    const field = model.fields.get(name);
    if (!field?.sql) throw new Error(`resource ${model.type}: naming knows no field ${name}`);
    if (field.kind !== 'ref') return [field.sql(at)];
    const target = models.get(field.field.target!);
    if (!target) throw new Error(`resource ${model.type}: naming leads over ${name} to a type that nobody declared`);
    const inner = `${at}_n`;
    return namingColumns(models, target, inner).map(
      (sql) =>
        `(select ${sql} from ${quote(target.table)} ${quote(inner)} where ${target.id(inner)} = ${field.sql!(at)})`,
    );
  });
}

/**
 * What stands between those parts, one less than there are: `+` between a record's own, `++` before those of a link.
 */
export function namingSeparators(models: Models, { resource, fields }: Model): string[] {
  const between: string[] = [];
  for (const [index, name] of (resource.naming ?? []).entries()) {
    const { kind, field } = fields.get(name)!;
    if (index) between.push(kind === 'ref' ? '++' : '+');
    if (kind === 'ref') between.push(...namingSeparators(models, models.get(field.target!)!));
  }
  return between;
}

export const splitName = (text: string) =>
  text.split(/\+\+|(?<!\[)\+(?!\])/).map((part) => part.replaceAll('[+]', '+'));

/** The inverse, ready for an address. */
export const joinName = (parts: readonly (string | number | null)[], separators: readonly string[]) =>
  parts
    .map((part, index) => (separators[index - 1] ?? '') + encodeURIComponent(String(part ?? '').replaceAll('+', '[+]')))
    .join('');

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

export const splitName = (text: string) =>
  text.split(/\+\+|(?<!\[)\+(?!\])/).map((part) => part.replaceAll('[+]', '+'));

/** The inverse, ready for an address. */
export const joinName = (parts: readonly (string | number | null)[]) =>
  parts.map((part) => encodeURIComponent(String(part ?? '').replaceAll('+', '[+]'))).join('++');

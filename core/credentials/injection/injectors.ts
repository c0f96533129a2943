/** The `injectors` of a type (contract §11.4): templates by what they make. */
export interface Injectors {
  /** `template`, or any number of `template.<label>` */
  file?: Record<string, string>;
  env?: Record<string, string>;
  extra_vars?: Record<string, Templates>;
}

/** Templates in any nesting; keys of objects are templates too. */
export type Templates = string | boolean | number | Templates[] | { [key: string]: Templates };

export const single = 'template';

/** The label of a file's key; '' for the single one. */
export const labelOf = (key: string): string => (key === single ? '' : key.slice(single.length + 1));

export interface Piece {
  /** for people: `env.TOKEN`, `file.template.cert`, `extra_vars.list` */
  where: string;
  template: string;
}

/** Every template there is. */
export function piecesOf({ file = {}, env = {}, extra_vars: variables = {} }: Injectors): Piece[] {
  return [
    ...Object.entries(file).map(([key, template]) => ({ where: `file.${key}`, template })),
    ...Object.entries(env).map(([name, template]) => ({ where: `env.${name}`, template })),
    ...Object.entries(variables).flatMap(([name, value]) => [
      { where: 'extra_vars', template: name },
      ...piecesBelow(`extra_vars.${name}`, value),
    ]),
  ];
}

function piecesBelow(where: string, value: Templates): Piece[] {
  if (typeof value === 'string') return [{ where, template: value }];
  if (typeof value !== 'object') return [];
  if (Array.isArray(value)) return value.flatMap((item) => piecesBelow(where, item));
  return Object.entries(value).flatMap(([key, item]) => [{ where, template: key }, ...piecesBelow(where, item)]);
}

/** The same nesting with each text replaced, in the order in which `piecesOf` names them. */
export function replaced(value: Templates, next: () => string): Templates {
  if (typeof value === 'string') return next();
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, next));
  return Object.fromEntries(Object.entries(value).map(([, item]) => [next(), replaced(item, next)]));
}

import { type Extension, listParameters, type Resource } from '@tapline/plugin-sdk';
import { extensionFault } from './declared.ts';
import type { Targeted } from './targets.ts';

const always = [
  'id',
  'type',
  'url',
  'related',
  'summary_fields',
  'created',
  'modified',
  'created_by',
  'modified_by',
  'pk',
];

type Part = keyof Extension & keyof Resource;
type Named = readonly (readonly [name: string, kind: string])[];

const named = (names: Iterable<string>, kind: string): Named => [...names].map((name) => [name, kind]);

interface Space {
  /** in front of names, to tell the spaces apart */
  among: string;
  parts: readonly (readonly [Part, kind: string])[];
  /** what else has a name there */
  besides: (target: Resource) => Named;
}

/** Parts whose names must differ: the same name would have two meanings in an answer, an address or a query. */
const spaces: readonly Space[] = [
  {
    among: '',
    parts: [
      ['actions', 'action'],
      ['parameters', 'parameter'],
      ['sublists', 'sublist'],
      ['fields', 'field'],
    ],
    besides: ({ spans = {} }) => [
      ...named(always, 'field'),
      ...named(listParameters, 'parameter'),
      ...named(Object.keys(spans), 'relation'),
    ],
  },
  { among: 'list ', parts: [['listActions', 'list action']], besides: () => [] },
  { among: 'format ', parts: [['formats', 'format']], besides: () => named(['json', 'api'], 'format') },
];

/** Nothing of the resource's own and nothing of another plugin's may change its meaning by an extension. */
export function assertFree({ declared, target, owner }: Targeted, taken: Map<string, string>): void {
  const { plugin, type, extension } = declared;
  for (const space of spaces) {
    const { among, parts } = space;
    const own = ownNames(target, space);
    for (const [part, kind] of parts)
      for (const name of Object.keys(extension[part] ?? {})) {
        const remedy = `choose another name, such as ${plugin.replaceAll('-', '_')}_${name}`;
        const key = `${type}.${among}${name}`;
        const other = taken.get(key);
        // a parameter may stand in for the filter of a field; the compiled model tells whether it does
        if (other !== undefined && !(other === plugin && part === 'fields'))
          throw extensionFault(
            declared,
            `adds the ${kind} ${name}, which plugin ${other} adds as well`,
            `${remedy}, or switch one of the two plugins off`,
          );
        const is = own.get(name);
        if (is)
          throw extensionFault(
            declared,
            `adds the ${kind} ${name}, but ${type} has ${/^[aeiou]/.test(is) ? 'an' : 'a'} ${is} of that name in ${owner === undefined ? 'core' : `plugin ${owner}`}`,
            remedy,
          );
        if (!/^[a-z]\w*$/.test(name) || name.includes('__'))
          throw extensionFault(
            declared,
            `adds the ${kind} ${name}`,
            'names are in snake_case, without two underscores in a row',
          );
        taken.set(key, plugin);
      }
  }
}

/** What each name that is taken stands for. */
function ownNames(target: Resource, { parts, besides }: Space): Map<string, string> {
  return new Map([
    ...besides(target),
    ...parts.flatMap(([part, kind]) => named(Object.keys(target[part] ?? {}), kind === 'sublist' ? 'list' : kind)),
  ]);
}

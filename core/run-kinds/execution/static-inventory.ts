import type { InventoryDocument } from '../../inventory/document.ts';

type Group = { hosts?: string[]; children?: string[]; vars?: Record<string, unknown> };

const named = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]));

/**
 * The same inventory as a static file: the engine reads JSON with that ending directly, without starting a
 * script, in a tenth of the time. Hosts come first and in the document's order, which is the order of play.
 */
export function staticInventory(document: InventoryDocument): string {
  const {
    _meta: meta,
    all = {},
    ...groups
  } = document as { _meta?: { hostvars?: Record<string, object> }; all?: Group } & Record<string, Group>;
  const hostvars = meta?.hostvars ?? {};
  const hosts = [
    ...Object.keys(hostvars),
    ...(all.hosts ?? []).filter((name: string) => !Object.hasOwn(hostvars, name)),
  ];
  const entries: [string, object][] = [
    [
      'all',
      group(
        { ...all, hosts: [] },
        Object.fromEntries(
          hosts.map((name) => [name, Object.keys(hostvars[name] ?? {}).length ? hostvars[name] : null]),
        ),
      ),
    ],
  ];
  for (const [name, content] of Object.entries(groups)) entries.push([name, group(content as Group)]);
  return wellFormed(JSON.stringify(Object.fromEntries(entries)));
}

/** Half a surrogate pair is no text for the engine. JSON escapes those alone; a backslash of the text itself is doubled. */
const wellFormed = (json: string) => json.replaceAll(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');

const group = ({ hosts = [], children = [], vars = {} }: Group, given: object = named(hosts)) => ({
  ...(Object.keys(given).length && { hosts: given }),
  ...(children.length && { children: named(children) }),
  ...(Object.keys(vars).length && { vars }),
});

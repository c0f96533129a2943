import { standIns } from '../../config/stand-ins.ts';

/** A header by its real name, else by one that stands for it. */
export function headerCalled(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  const others: Readonly<Record<string, readonly string[]>> = standIns.headers;
  return [name, ...(others[name] ?? [])].map((one) => headers[one]).find((value) => value !== undefined);
}

/** What a run is told of itself, under every prefix that playbooks know. */
export const underEachPrefix = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    standIns.variablePrefixes.flatMap((prefix) =>
      Object.entries(values).map(([name, value]) => [`${prefix}_${name}`, value]),
    ),
  );

/** The same under each name that a host's facts have. */
export const underEachFactsName = <T>(make: (name: string) => T): Record<string, T> =>
  Object.fromEntries(standIns.facts.map((name) => [name, make(name)]));

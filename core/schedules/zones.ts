import { getAllTimezones } from 'countries-and-timezones';
import { isZone } from './wall-clock.ts';

export interface Zones {
  /** names, sorted */
  zones: string[];
  /** old and other names, with the name that they stand for */
  links: Record<string, string>;
}

/** Names of time zones that rules may use. */
export function knownZones(): Zones {
  const listed = Object.values(getAllTimezones({ deprecated: true })).filter(({ name }) => isZone(name));
  const names = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), ...listed.map(({ name }) => name)]);
  const links = listed.flatMap(({ name, aliasOf }) => (aliasOf ? [[name, aliasOf] as const] : []));
  return { zones: [...names].toSorted(), links: Object.fromEntries(links) };
}

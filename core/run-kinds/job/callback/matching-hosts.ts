import { lookup, lookupService } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';
import type { Knex } from 'knex';
import { storedVariables } from '../../../yaml/variables.ts';

interface HostRow {
  name: string;
  variables: string;
}

/** However many hosts there are, who calls waits no longer; names that are not resolved by then match nothing. */
const patienceMs = 5000;
const mostNames = 500;
const atOnce = 8;
/** A caller that so many hosts could be is none of them. */
const mostRows = 1000;

const plainAddress = (text: string): string | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text).toNormalizedString() : undefined;

async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true }).catch(() => []);
  return found.flatMap(({ address }) => plainAddress(address) ?? []);
}

/** The name that the address has, as far as the name has the address: anybody can say anything of his own. */
async function nameOf(address: string): Promise<string[]> {
  const { hostname } = await lookupService(address, 0).catch(() => ({ hostname: '' }));
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name && !ipaddr.isValid(name) && (await addressesOf(name)).includes(address) ? [name] : [];
}

const inTime = <T>(work: Promise<T>, otherwise: T): Promise<T> => {
  const late = new Promise<T>((resolve) => setTimeout(() => resolve(otherwise), patienceMs).unref());
  return Promise.race([work, late]);
};

const literally = {
  text: `select name, variables from hosts h where inventory_id = ? and enabled
    and (lower(name) = any(?) or exists (select 1 from unnest(?::text[]) c where position(c in lower(h.variables)) > 0)) limit ${mostRows}`,
};

/** Where the engine connects to: as the host says, or its name. */
async function targetOf({ name, variables }: HostRow): Promise<string> {
  const { ansible_host: host, ansible_ssh_host: older } = await storedVariables(variables);
  return String(host ?? older ?? name).toLowerCase();
}

/**
 * Names of the inventory's enabled hosts that a caller from this address can be (contract/jobs.md §25): by name, by
 * `ansible_host`, or, where none is that says so, by what their names stand for.
 */
export async function matchingHosts(db: Knex, inventory: number, ip: string): Promise<string[]> {
  const address = plainAddress(ip);
  if (address === undefined) return [];
  const known = [...new Set([address, ipaddr.process(ip).toString(), ...(await inTime(nameOf(address), []))])];
  const { rows } = await db.raw<{ rows: HostRow[] }>(literally.text, [inventory, known, known]);
  const same = (target: string) => known.includes(target) || plainAddress(target) === address;
  const saying = await Promise.all(
    rows.map(async (row) => (known.includes(row.name.toLowerCase()) || same(await targetOf(row)) ? row.name : [])),
  );
  const found = saying.flat();
  return found.length ? found.toSorted() : inTime(resolving(db, inventory, address), []);
}

async function resolving(db: Knex, inventory: number, address: string): Promise<string[]> {
  const rows: HostRow[] = await db('hosts')
    .where({ inventory_id: inventory, enabled: true })
    .orderBy('id')
    .limit(mostNames)
    .select('name', 'variables');
  const found: string[] = [];
  const waiting = [...rows];
  const resolver = async (): Promise<void> => {
    for (let row = waiting.pop(); row; row = waiting.pop()) {
      // a few at a time: each of them holds a thread while it waits
      // oxlint-disable-next-line no-await-in-loop
      const target = await targetOf(row);
      // oxlint-disable-next-line no-await-in-loop
      const addresses = ipaddr.isValid(target) ? [plainAddress(target)] : await addressesOf(target);
      if (addresses.includes(address)) found.push(row.name);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, resolver));
  return found.toSorted();
}

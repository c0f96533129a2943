import ipaddr from 'ipaddr.js';
import type { Knex } from 'knex';
import { storedVariables } from '../../../yaml/variables.ts';
import { createNames, type Names, plainAddress } from './name-lookups.ts';

interface HostRow {
  name: string;
  variables: string;
}

/** However many hosts there are, who calls waits no longer; names that are not resolved by then match nothing. */
const patienceMs = 5000;
const mostNames = 500;
/** A caller that so many hosts could be is none of them. */
const mostRows = 1000;

const ofSystem = createNames();

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
export async function matchingHosts(
  db: Knex,
  inventory: number,
  ip: string,
  names: Names = ofSystem,
): Promise<string[]> {
  const address = plainAddress(ip);
  if (address === undefined) return [];
  const until = AbortSignal.timeout(patienceMs);
  const known = [...new Set([address, ipaddr.process(ip).toString(), ...(await names.nameOf(address, until))])];
  const { rows } = await db.raw<{ rows: HostRow[] }>(literally.text, [inventory, known, known]);
  const same = (target: string) => known.includes(target) || plainAddress(target) === address;
  const saying = await Promise.all(
    rows.map(async (row) => (known.includes(row.name.toLowerCase()) || same(await targetOf(row)) ? row.name : [])),
  );
  const found = saying.flat();
  return found.length ? found.toSorted() : resolving(db, names, { inventory, address, until });
}

async function resolving(
  db: Knex,
  names: Names,
  { inventory, address, until }: { inventory: number; address: string; until: AbortSignal },
): Promise<string[]> {
  if (until.aborted) return [];
  const rows: HostRow[] = await db('hosts')
    .where({ inventory_id: inventory, enabled: true })
    .orderBy('id')
    .limit(mostNames)
    .select('name', 'variables');
  const found = await Promise.all(
    rows.map(async (row) => {
      const target = await targetOf(row);
      const addresses = ipaddr.isValid(target) ? [plainAddress(target)] : await names.addressesOf(target, until);
      return addresses.includes(address) ? row.name : [];
    }),
  );
  // what was not told in time may have been a second one
  return until.aborted ? [] : found.flat().toSorted();
}

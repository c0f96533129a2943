import { setImmediate as breathe } from 'node:timers/promises';
import type { Digests } from '../facts/digests.ts';
import { classified, type Class, isVolatile } from './classify.ts';
import type { DetectOptions } from './detect.ts';

export interface Outlying extends Class {
  fact_path: string;
  /** how many hosts have what most have */
  alike: number;
}

export interface Outliers {
  /** hosts that were looked at, and those of them that differ */
  hosts: number;
  differ: number;
  outliers: Outlier[];
}

export interface Outlier {
  host: number;
  /** facts in which it differs, and the first of them */
  count: number;
  facts: Outlying[];
}

/** What is told of, however much there is. */
export interface MostTold {
  hosts: number;
  /** of each host */
  facts: number;
}

const all: MostTold = { hosts: Number.POSITIVE_INFINITY, facts: Number.POSITIVE_INFINITY };

interface Fact {
  path: string;
  /** the digest of what most hosts have, or `none`; to be counted, since it may be only some value where there is no majority */
  usual: number;
  /** by how many votes it leads, after so many hosts */
  lead: number;
  votes: number;
  /** hosts that have it, whatever it says, and those that have what is usual */
  present: number;
  alike: number;
}

/** So many hosts are compared at once; requests go on in between. */
const portion = 20;
/** That a host has no such fact. */
const none = -1;

/** Of a host: which facts it has, by their numbers, and what they say. */
interface Row {
  host: number;
  facts: Uint32Array;
  digests: Float64Array;
}

/**
 * Where hosts differ from what most of them have. A fact counts where more than half of the hosts have one value of it, or
 * none: names and addresses, of which each host has its own, say nothing. Of each fact of a host 12 bytes are kept, and of
 * all values of a fact one, by the majority vote of Boyer and Moore.
 */
export async function outliersOf(
  hosts: AsyncIterable<readonly [number, Digests]>,
  { ignored = [], overrides = {} }: DetectOptions,
  most = all,
): Promise<Outliers> {
  const [facts, numbers, rows]: [Fact[], Map<string, number>, Row[]] = [[], new Map(), []];
  const numberOf = (path: string) => {
    const known = numbers.get(path) ?? facts.length;
    if (known === facts.length) {
      facts.push({ path, usual: none, lead: 0, votes: 0, present: 0, alike: 0 });
      numbers.set(path, known);
    }
    return known;
  };
  for await (const [host, { paths, digests }] of hosts) {
    const row = { host, facts: Uint32Array.from(paths, numberOf), digests };
    row.facts.forEach((fact, at) => vote(facts[fact]!, digests[at]!, rows.length));
    rows.push(row);
  }
  for (const fact of facts) cast(fact, none, rows.length - fact.votes);
  for await (const row of breathing(rows)) row.facts.forEach((fact, at) => count(facts[fact]!, row.digests[at]!));
  const usual = new Set<Fact>();
  for (const fact of facts) {
    if (fact.usual === none) fact.alike = rows.length - fact.present;
    if (fact.alike > rows.length / 2 && !isVolatile(fact.path, ignored)) usual.add(fact);
  }
  const outliers: Outliers['outliers'] = [];
  let differ = 0;
  for await (const row of breathing(rows)) {
    const found = differing(row, facts, usual);
    if (!found.length) continue;
    differ += 1;
    if (differ > most.hosts) continue;
    const told = found.slice(0, most.facts).map((fact) => outlying(fact, overrides));
    outliers.push({ host: row.host, count: found.length, facts: told });
  }
  return { hosts: rows.length, differ, outliers };
}

async function* breathing(rows: readonly Row[]): AsyncGenerator<Row> {
  for (const [at, row] of rows.entries()) {
    if (at % portion === 0) await breathe();
    yield row;
  }
}

/** `before`: so many hosts came before; of those since its last vote none has the fact. */
function vote(fact: Fact, digest: number, before: number): void {
  cast(fact, none, before - fact.votes);
  cast(fact, digest, 1);
}

function cast(fact: Fact, value: number, hosts: number): void {
  fact.votes += hosts;
  if (fact.usual === value) fact.lead += hosts;
  else if (fact.lead >= hosts) fact.lead -= hosts;
  else [fact.usual, fact.lead] = [value, hosts - fact.lead];
}

function count(fact: Fact, digest: number): void {
  fact.present += 1;
  if (digest === fact.usual) fact.alike += 1;
}

function differing(row: Row, facts: readonly Fact[], usual: ReadonlySet<Fact>): Fact[] {
  const has = new Set(Array.from(row.facts, (fact) => facts[fact]!));
  const missing = [...usual].filter((fact) => fact.usual !== none && !has.has(fact));
  const other = [...has].filter((fact, at) => usual.has(fact) && row.digests[at] !== fact.usual);
  return [...missing, ...other];
}

const outlying = ({ path, alike }: Fact, overrides: Readonly<Record<string, string>>): Outlying => ({
  fact_path: path,
  ...classified(path, overrides),
  alike,
});

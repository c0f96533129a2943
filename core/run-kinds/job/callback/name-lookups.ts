import { lookup, lookupService } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

/** What is asked of the network about names. */
export interface Names {
  /** addresses in their plain form; none where the name has none, or nobody answered in time */
  addressesOf(name: string, until: AbortSignal): Promise<string[]>;
  /** the name that the address has, as far as the name has the address: anybody can say anything of his own */
  nameOf(address: string, until: AbortSignal): Promise<string[]>;
}

/** A look-up holds a thread until it is answered, whoever still wants to know; of all callers together so many wait at most. */
const atOnce = 8;
const freshMs = 30_000;
const mostKept = 2000;

interface System {
  addresses(name: string): Promise<string[]>;
  name(address: string): Promise<string>;
}

const system: System = {
  addresses: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  name: async (address) => (await lookupService(address, 0)).hostname,
};

export const plainAddress = (text: string): string | undefined =>
  ipaddr.isValid(text) ? ipaddr.process(text).toNormalizedString() : undefined;

const ends = new WeakMap<AbortSignal, Promise<undefined>>();

/** One listener per signal: hundreds of look-ups share one, and each listener that is added walks past all others. */
function aborted(signal: AbortSignal): Promise<undefined> {
  const known = ends.get(signal);
  if (known) return known;
  const end = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  ends.set(signal, end);
  return end;
}

function createPlaces() {
  const waiting: { until: AbortSignal; take: (taken: boolean) => void }[] = [];
  let running = 0;

  /** Takes a place; false where nobody waits any more when there is one. */
  async function room(until: AbortSignal): Promise<boolean> {
    if (until.aborted) return false;
    if (running >= atOnce) return new Promise((take) => void waiting.push({ until, take }));
    running += 1;
    return true;
  }

  /** Hands the place to who has waited longest and still does. */
  function leave(): void {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const waits = !next.until.aborted;
      next.take(waits);
      if (waits) return;
    }
    running -= 1;
  }
  return { room, leave };
}

/** Each is asked for once in a while, whoever wants to know: hosts of one inventory come up together. */
export function createNames(asked: System = system): Names {
  const kept = new Map<string, { at: number; answer: Promise<string[]> }>();
  const { room, leave } = createPlaces();

  function fresh(key: string): Promise<string[]> | undefined {
    const known = kept.get(key);
    return known && Date.now() - known.at < freshMs ? known.answer : undefined;
  }

  function begin(key: string, ask: () => Promise<string[]>): Promise<string[]> {
    const answer = ask()
      .catch(() => [])
      .finally(leave);
    if (kept.size >= mostKept) kept.delete(kept.keys().next().value!);
    kept.set(key, { at: Date.now(), answer });
    // a host that has just come up may get its name in a moment
    void answer.then((found) => found.length || kept.delete(key));
    return answer;
  }

  async function answerOf(key: string, until: AbortSignal, ask: () => Promise<string[]>): Promise<string[]> {
    const known = fresh(key);
    if (known) return known;
    if (!(await room(until))) return [];
    // another may have asked while this one waited
    const since = fresh(key);
    if (!since) return begin(key, ask);
    leave();
    return since;
  }

  const once = async (key: string, until: AbortSignal, ask: () => Promise<string[]>): Promise<string[]> =>
    (await Promise.race([answerOf(key, until, ask), aborted(until)])) ?? [];

  const addressesOf: Names['addressesOf'] = (name, until) =>
    once(`name ${name}`, until, async () => (await asked.addresses(name)).flatMap((one) => plainAddress(one) ?? []));
  return {
    addressesOf,
    async nameOf(address, until) {
      const [given = ''] = await once(`address ${address}`, until, async () => [await asked.name(address)]);
      const name = given.toLowerCase().replace(/\.$/, '');
      return name && !ipaddr.isValid(name) && (await addressesOf(name, until)).includes(address) ? [name] : [];
    },
  };
}

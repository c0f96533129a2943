import type { Actor } from '@tapline/plugin-sdk';
import { type Ask, type Rewindable, startRewindable, tokenFor } from '../support/rewindable.ts';
import { type Facts, drawIslands, readFacts } from './islands.ts';
import { prepareAll } from './prepared-db.ts';
import type { Island } from './random-graph.ts';
import { sees } from './sees.ts';
import { unlisted } from './sublists.ts';

export type Person = Actor & { token: string };

export interface ApiIsland extends Island {
  people: Person[];
}

export const idsOf = (rows: { id: number }[]): number[] => rows.map(({ id }) => id);
export const mostOnPage = 200;

/** The service as it boots, on a database of random graphs. */
export async function startIslands(graphs: number) {
  const service: Rewindable = await startRewindable({ TAPLINE_ORG_ADMINS_CAN_SEE_ALL_USERS: 'false' });
  const seeds = Array.from({ length: graphs }, (_, index) => index + 1);
  const islands: ApiIsland[] = [];
  for (const island of await drawIslands(service.db, seeds)) {
    const people: Person[] = [];
    for (const person of island.people) people.push({ ...person, token: await tokenFor(service.db, person) });
    islands.push({ ...island, people });
  }
  const facts = await readFacts(service.db);
  prepareAll(service.services.db);

  const known = new Map<string, any[]>();
  /** The rows of a list, in the order of their ids. */
  const seen = (type: string, person: Actor): any[] => {
    const key = `${type} ${person.id}`;
    const find = () => facts.rows[type]!.filter((row) => !unlisted(type, row) && sees[type]!(facts, person, row));
    if (!known.has(key)) known.set(key, find());
    return known.get(key)!;
  };
  let answers = 0;
  const get = async (ask: Ask, { token }: { token: string }, path: string): Promise<any> => {
    answers++;
    return ask({ method: 'GET', path: `/api/v2/${path}`, token });
  };
  /** Ids in the order of the answer; anything but a list as it came. Of a long list its first page, which says how many there are. */
  const idsAt = async (person: Person, path: string, ask = service.ask): Promise<unknown> => {
    const { status, body } = await get(ask, person, path);
    if (status !== 200) return { status, body };
    const ids = idsOf(body.results);
    if (body.count !== ids.length && (ids.length < mostOnPage || body.count < ids.length))
      return `count ${body.count} of ${ids.length}`;
    return body.count === ids.length ? ids : { count: body.count, first: ids };
  };
  return {
    service,
    islands,
    facts,
    seen,
    get: (person: Person, path: string, ask = service.ask) => get(ask, person, path),
    idsAt,
    /** what `idsAt` answers where the list is these rows */
    page: (rows: { id: number }[]): unknown => {
      const ids = idsOf(rows);
      return ids.length <= mostOnPage ? ids : { count: ids.length, first: ids.slice(0, mostOnPage) };
    },
    asked: () => answers,
  };
}

export type ApiIslands = Awaited<ReturnType<typeof startIslands>>;
export type { Facts };

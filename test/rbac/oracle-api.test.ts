import { expect } from 'chai';
import type { CompiledRoute } from '../../core/descriptors/routes/routes.ts';
import { type ApiIsland, type ApiIslands, type Person, idsOf, mostOnPage, startIslands } from './api-islands.ts';
import { eachOf, rowsOf } from './islands.ts';
import { testSeed } from './random-graph.ts';
import { spans } from './spans.ts';
import { type Sublist, elsewhere, sublists, topLists } from './sublists.ts';

const graphs = 30;
/** more would only have every connection of the service plan the same statements */
const atOnce = 3;
const base = '/api/v2/';

describe(`lists of the API on ${graphs} random role graphs (TEST_SEED=${testSeed})`, function () {
  let world: ApiIslands;
  const counts = { lists: 0, sublists: 0, hidden: 0, details: 0, spans: 0 };
  before(async () => {
    world = await startIslands(graphs);
  });
  after(async () => {
    await world?.service.stop();
    const below = Object.keys(sublists).length;
    console.log(
      `      ${Object.keys(topLists).length} lists and ${below} below a record: ${JSON.stringify(counts)} of ${world?.asked()} answers`,
    );
  });

  const onEach = (look: (island: ApiIsland, person: Person) => Promise<void>) =>
    eachOf(
      world.islands.flatMap((island) => island.people.map((person) => ({ island, person }))),
      atOnce,
      ({ island, person }) => look(island, person),
    );
  /** One of the rows, another one each time it is asked for another person. */
  const oneOf = (rows: any[], by: number) => rows[by % rows.length];
  const near = (island: ApiIsland, type: string, rows: any[]) => {
    const own = new Set(idsOf(rowsOf(world.facts, island, type)));
    return rows.filter(({ id }) => own.has(id));
  };

  it('knows every list there is in the route table', async () => {
    const superuser = world.islands[0]!.people[0]!;
    const { routes } = world.service.services.catalog;
    const lists: string[] = [];
    for (const route of routes.filter(({ endpoints }) => endpoints.GET)) {
      const path = route.path.slice(base.length);
      if (await isList(route, superuser)) lists.push(path);
    }
    const known = [...Object.keys(topLists), ...Object.keys(sublists), ...Object.keys(elsewhere)];
    expect(lists.toSorted()).to.deep.equal(known.toSorted());
  });

  /** By what it answers to who sees everything: a page of rows, or an array. */
  async function isList(route: CompiledRoute, superuser: Person): Promise<boolean> {
    if (route.kind === 'list' || route.kind === 'sublist') return true;
    const row = route.path.includes('/:id/') ? world.facts.rows[route.type!]?.at(-1) : undefined;
    const path = route.path.slice(base.length).replace(':id', row?.id).replace(/:\w+/, 'ui');
    const { body } = await world.get(superuser, path);
    return Array.isArray(body) || Array.isArray(body?.results);
  }

  it('are exactly the rows that the graph gives, and details tell the same', async () => {
    await onEach(async (island, person) => {
      const where = `seed ${island.seed}: user ${person.id}`;
      for (const [index, [path, type]] of Object.entries(topLists).entries()) {
        // each person asks for half of the lists, so that each is asked for by ninety of the 180
        if ((index + island.seed + person.id) % 2) continue;
        const rows = world.seen(type, person);
        const query = `${path}?order_by=id&page_size=${mostOnPage}`;
        expect(await world.idsAt(person, query), `${where}: ${path}`).to.deep.equal(world.page(rows));
        counts.lists++;
        // mixed lists have no details; of the others each person asks for a sixth: a third of those that it just asked for
        if (type.startsWith('unified_') || (index + island.seed + person.id) % 3) continue;
        const all = new Set(rows);
        const candidates = rowsOf(world.facts, island, type);
        for (const visible of [true, false]) {
          const some = candidates.filter((row) => all.has(row) === visible && row.status !== 'new');
          if (!some.length) continue;
          const { id } = oneOf(some, person.id);
          const { status } = await world.get(person, `${path}${id}/`);
          expect(status, `${where}: ${path}${id}/`).to.equal(visible ? 200 : 404);
          counts.details++;
        }
      }
      expect(await world.idsAt(person, 'me/')).to.deep.equal([person.id]);
    });
    // six people, half of the lists
    expect(counts.lists).to.equal((6 * Object.keys(topLists).length * graphs) / 2);
    expect(counts.details).to.be.at.least(36 * graphs);
  });

  it('below records that are seen are the rows that are tied to them and seen, and below others there is nothing', async () => {
    const all = Object.entries(sublists);
    await onEach(async (island, person) => {
      const at = island.seed + person.id;
      // each person asks a third of them, so that each is asked by sixty
      for (const [path, list] of all.filter((_, index) => (index + at) % 3 === 0))
        await below(island, person, path, list);
    });
    expect(counts.sublists).to.be.at.least(95 * graphs);
    expect(counts.hidden).to.be.at.least(130 * graphs);
  });

  async function below(island: ApiIsland, person: Person, path: string, list: Sublist): Promise<void> {
    const where = `seed ${island.seed}: user ${person.id}`;
    const seen = world.seen(list.parent, person);
    const own = near(island, list.parent, seen);
    const parent = oneOf(own.length ? own : seen, person.id);
    if (parent) {
      const at = path.replace(':id', parent.id);
      const rows = rowsBelow(list, parent, person);
      const query = list.inOrder ? `${at}?page_size=${mostOnPage}` : `${at}?order_by=id&page_size=${mostOnPage}`;
      expect(await world.idsAt(person, query), `${where}: ${at}`).to.deep.equal(world.page(rows));
      counts.sublists++;
    }
    const visible = new Set(seen);
    const hidden = rowsOf(world.facts, island, list.parent).filter((row) => !visible.has(row) && row.status !== 'new');
    if (!hidden.length || person.id % 2) return;
    const at = path.replace(':id', oneOf(hidden, person.id).id);
    expect((await world.get(person, at)).status, `${where}: ${at}`).to.equal(404);
    counts.hidden++;
  }

  function rowsBelow({ type, tied, inOrder }: Sublist, parent: any, person: Person): any[] {
    // a federated inventory shows what its inputs hold to whoever reads it, as a smart one does (inventory/smart.test.ts)
    const all = parent.kind === 'federated' && (type === 'host' || type === 'group');
    const rows = (all ? world.facts.rows[type]! : world.seen(type, person)).filter((row) =>
      tied(world.facts, parent, row),
    );
    if (!inOrder) return rows;
    const [table, above, child] = inOrder;
    const links = world.facts.links(table, above, parent.id).toSorted((one, other) => one.position - other.position);
    return links.flatMap((link) => rows.filter(({ id }) => id === link[child]));
  }

  it('are found by what rows are linked to only through rows that are seen', async () => {
    await onEach(async (island, person) => {
      if (person.is_superuser || person.is_system_auditor) return;
      for (const [index, [list, path, other, forward, backward]] of spans.entries()) {
        const visible = world.seen(topLists[`${other}/`]!, person);
        const candidates = rowsOf(world.facts, island, topLists[`${other}/`]!);
        // half of the names for each: another person asks for the others
        for (const { name } of candidates.filter((_, at) => (at + index + person.id) % 2)) {
          const named = visible.filter((one) => one.name === name);
          const matching = world
            .seen(topLists[`${list}/`]!, person)
            .filter((row) => named.some((one) => (forward ? row[forward] === one.id : one[backward!] === row.id)));
          const query = `${list}/?${path}__name=${encodeURIComponent(name)}&order_by=id&page_size=${mostOnPage}`;
          expect(await world.idsAt(person, query), `seed ${island.seed}: user ${person.id}: ${query}`).to.deep.equal(
            idsOf(matching),
          );
          counts.spans++;
        }
      }
    });
    expect(counts.spans).to.be.at.least(100 * graphs);
  });
});

import type { Actor } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { accessList } from '../../core/rbac/access-list.ts';
import { capabilities } from '../../core/rbac/capabilities.ts';
import { type RoleType, roleDefinitions, roleTables } from '../../core/rbac/definitions.ts';
import { missingRights } from '../../core/rbac/rights.ts';
import { role } from '../../core/rbac/role-rules.ts';
import { roleVisible } from '../../core/rbac/role-visibility.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { rowsAsListed, rowsBelow, rowsByQuery, rowsByRow, rowsWithRoles } from './forms.ts';
import { type Facts, drawIslands, eachOf, readFacts, rowsOf } from './islands.ts';
import { prepareAll } from './prepared-db.ts';
import { everyRole, questions, settings } from './questions.ts';
import { type Island, testSeed } from './random-graph.ts';

const graphs = 200;
/** in one database: more would cost more time in rows than they save in plans */
const together = 40;
/** databases asked at once */
const atOnce = 3;
const types = Object.keys(roleDefinitions) as RoleType[];

interface World {
  test: TestDatabase;
  db: Knex;
  islands: Island[];
  facts: Facts;
}

const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);

/** Three of the rows, others on each graph. */
const someOf = (rows: any[], seed: number): any[] =>
  rows.filter((_, index) => (index + rows.length * seed - (seed % rows.length)) % rows.length < 3);

describe(`on ${graphs} random role graphs (TEST_SEED=${testSeed})`, function () {
  this.timeout(900_000);
  const worlds: World[] = [];
  const counts = { roles: 0, oneByOne: 0, byQuery: 0, byRow: 0, otherwise: 0, seen: 0, accessLists: 0 };

  before(async () => {
    const seeds = Array.from({ length: graphs }, (_, index) => index + 1);
    await eachOf(
      seeds.filter((seed) => seed % together === 1),
      atOnce,
      async (first) => {
        const test = await createTestDatabase();
        const { db } = test;
        const islands = await drawIslands(db, seeds.slice(first - 1, first - 1 + together));
        prepareAll(db);
        worlds.push({ test, db, islands, facts: await readFacts(db) });
      },
    );
  });
  after(async () => {
    for (const { test } of worlds) await test.drop();
    console.log(`      answers compared: ${JSON.stringify(counts)}`);
  });

  const onEach = (ask: (world: World, island: Island) => Promise<void>) =>
    eachOf(worlds, atOnce, async (world) => {
      for (const island of world.islands) await ask(world, island);
    });

  it('every role of every record is held by whom the drawn graph says, one by one and by the page', async () => {
    await onEach(async ({ db, facts }, island) => {
      for (const type of types) {
        const rules = Object.fromEntries(Object.keys(roleDefinitions[type]).map((field) => [field, role(type, field)]));
        const records = ids(rowsOf(facts, island, type));
        const asked = records.flatMap((id) => Object.keys(rules).map((field) => ({ type, field, id })));
        for (const actor of island.people) {
          const where = `seed ${island.seed}: user ${actor.id} on every ${type}`;
          const expected = asked.filter(({ field, id }) => facts.graph.holds(actor, type, id, field));
          // one by one for half of the people of each graph, always others: planning that many conditions takes longest
          if ((actor.id + island.seed) % 2) {
            const missing = new Set(await missingRights(db, actor, asked));
            const byRow = asked.filter((right) => !missing.has(right));
            expect(byRow, `${where}, row form`).to.deep.equal(expected);
            counts.oneByOne += asked.length;
          }
          const found = await capabilities(db, actor, roleTables[type].table, rules, records);
          const byPage = asked.filter(({ field, id }) => found.get(id)![field]);
          expect(byPage, `${where}, query form`).to.deep.equal(expected);
          counts.roles += asked.length;
        }
      }
    });
    expect(counts.roles).to.be.at.least(430 * graphs);
    expect(counts.oneByOne).to.be.at.least(200 * graphs);
  });

  it('query form, row form and the drawn graph agree for every user, rule and row', async () => {
    await onEach(async ({ db, facts }, island) => {
      const { seed, people } = island;
      // one in ten asks the roles one by one as well, as lists and details do
      const asked = seed % 10 ? questions.filter(({ rarely }) => !rarely) : [...everyRole, ...questions];
      for (const [index, question] of asked.entries()) {
        const rows = facts.rows[question.type]!;
        const near = someOf(rowsOf(facts, island, question.type), seed);
        const inventories = ids(rowsOf(facts, island, 'inventory'));
        // every question goes to a sixth of the people of each graph, always others
        for (const actor of people.filter((_, at) => (at + index + seed) % 6 === 0)) {
          const where = `seed ${seed}: ${question.name} for user ${actor.id}`;
          const allowed = (row: any) => question.expected(facts, actor, row);
          // of all graphs: what belongs to another one is not seen
          const expected = ids(rows.filter(allowed));
          const expectedNear = ids(near.filter(allowed));
          expect(await rowsByQuery(db, question, actor), `${where}, query form`).to.deep.equal(expected);
          expect(await rowsByRow(db, question, actor, near), `${where}, row form`).to.deep.equal(expectedNear);
          counts.byQuery += rows.length;
          counts.byRow += near.length;
          // as lists and details ask, on a part of the graphs
          if (seed % 4 === 0 && (index + seed / 4) % 2) {
            const listed = await rowsAsListed(db, question, actor, seed % 8 ? undefined : 1);
            expect(listed, `${where}, listed`).to.deep.equal({ whole: expected, apart: expected });
            if (question.type === 'host')
              expect(await rowsBelow(db, question, actor, inventories), `${where}, below`).to.deep.equal(expectedNear);
            counts.otherwise += rows.length;
          }
          if (seed % 10 === 0 && !question.type.endsWith('_event')) {
            const withRoles = await rowsWithRoles(db, question, actor, near);
            expect(withRoles, `${where}, with its roles`).to.deep.equal(expectedNear);
            counts.otherwise += near.length;
          }
        }
      }
    });
    expect(counts.byQuery).to.be.at.least(4_000 * graphs);
    expect(counts.byRow).to.be.at.least(70 * graphs);
  });

  it('nobody sees a role beyond those held, below and above; everything held is seen', async () => {
    const question = { type: 'role', rule: roleVisible };
    await onEach(async ({ db, facts }, island) => {
      const { seed, people } = island;
      const near = rowsOf(facts, island, 'role');
      for (const actor of people) {
        const seen = await rowsByQuery(db, question, actor);
        if (actor.is_superuser || actor.is_system_auditor) expect(seen).to.deep.equal(ids(facts.rows.role!));
        else {
          const where = `seed ${seed}: user ${actor.id}`;
          const allowed = facts.graph.heldAndAbove(actor);
          const beyond = seen.filter((id) => !allowed.has(id) && !facts.graph.role(id).singleton_name);
          expect(beyond, `${where} sees too much`).to.deep.equal([]);
          const all = new Set(seen);
          const hidden = [...facts.graph.held(actor)].filter((id) => !all.has(id));
          expect(hidden, `${where} sees too little`).to.deep.equal([]);
        }
        const some = near.filter((_, index) => index % 29 === actor.id % 29);
        const found = await rowsByRow(db, question, actor, some);
        expect(found, `seed ${seed}: user ${actor.id}`).to.deep.equal(ids(some).filter((id) => seen.includes(id)));
        counts.seen += near.length;
      }
    });
  });

  it('an access list names exactly those who hold a role on the record, with exactly the roles they hold', async () => {
    await onEach(async ({ db, facts }, island) => {
      const users = facts.rows.user as Actor[];
      const superuser = users.find(({ is_superuser }) => is_superuser)!;
      for (const type of types)
        for (const row of rowsOf(facts, island, type)) {
          const where = `seed ${island.seed}: ${type} ${row.id}`;
          const list = await accessList(db, type, row.id);
          const builder = db.from('users as t').select('t.id').orderBy('t.id');
          list.narrow(builder, 't');
          const listed = ids(await builder);
          const roles = Object.keys(roleDefinitions[type]).map((field) => ({
            field,
            id: facts.graph.roleId(type, row.id, field)!,
          }));
          const fieldsOf = (user: Actor) => {
            const held = facts.graph.held(user);
            return roles.filter(({ id }) => held.has(id)).map(({ field }) => field);
          };
          const expected = users.filter((user) => user.is_superuser || user.is_system_auditor || fieldsOf(user).length);
          expect(listed, where).to.deep.equal(ids(expected));
          const shown = expected.filter(({ id }) => island.people.some((person) => person.id === id));
          const entries = await list.entries(ids(shown), superuser, settings);
          counts.accessLists += users.length;
          for (const user of shown) {
            const { direct_access, indirect_access } = entries.get(user.id)!;
            const given = new Set([...direct_access, ...indirect_access].flatMap((entry) => entry.descendant_roles));
            // superusers are not counted into every team there is; they and auditors have their rights without an organization, too
            if (user.is_superuser) expect([...given], where).to.include('admin_role');
            if (user.is_superuser) continue;
            const system = ['read_role', ...(type === 'organization' ? ['auditor_role'] : [])];
            const fields = user.is_system_auditor ? [...new Set([...fieldsOf(user), ...system])] : fieldsOf(user);
            expect([...given].toSorted(), `${where} for user ${user.id}`).to.deep.equal(fields.toSorted());
          }
        }
    });
    expect(counts.accessLists).to.be.at.least(3_600 * graphs);
  });
});

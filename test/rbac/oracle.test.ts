import type { Actor, Rule } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { accessList } from '../../core/rbac/access-list.ts';
import { type RoleType, roleDefinitions, roleTables } from '../../core/rbac/definitions.ts';
import { capabilities } from '../../core/rbac/capabilities.ts';
import { createPermissions } from '../../core/rbac/permissions.ts';
import { administers, teamVisible, userVisible } from '../../core/rbac/people.ts';
import { parent, role } from '../../core/rbac/role-rules.ts';
import { missingRights } from '../../core/rbac/rights.ts';
import { givenSql, remember, roleColumns } from '../../core/rbac/row-roles.ts';
import { roleVisible } from '../../core/rbac/role-visibility.ts';
import { allOf, anyOf, columnIs, not, via } from '../../core/rbac/rules.ts';
import { narrow } from '../../core/rbac/condition.ts';
import { settle, settleBelow } from '../../core/rbac/settle.ts';
import { type TestDatabase, createTestDatabase } from '../support/database.ts';
import { type Graph, drawGraph } from './oracle.ts';
import { drawWorld } from './random-graph.ts';
import { settingsWith } from './world.ts';

const graphs = 200;
const settings = settingsWith(['ORG_ADMINS_CAN_SEE_ALL_USERS']);
const permissions = createPermissions({ settings });

/** A rule, the table whose rows it judges, and what the drawn graph says of an actor and a row. */
interface Question {
  name: string;
  table: string;
  kind?: string;
  rule: Rule;
  expected: (graph: Graph, actor: Actor, row: any) => boolean;
}

const everyRole: Question[] = Object.entries(roleDefinitions).flatMap(([type, fields]) =>
  Object.keys(fields).map((field) => ({
    name: `${type}.${field}`,
    ...roleTables[type as RoleType],
    rule: role(type as RoleType, field),
    expected: (graph: Graph, actor: Actor, row: any) => graph.holds(actor, type, row.id, field),
  })),
);

const organizationsOf = (graph: Graph, user: { id: number }) =>
  [...graph.records]
    .filter(([key]) => key.startsWith('organization.'))
    .map(([, row]) => row.id)
    .filter((id) => graph.direct(user, id, 'admin_role', 'member_role'));

const administered = (graph: Graph, actor: Actor, user: any, orphans: boolean): boolean => {
  if (actor.is_superuser) return true;
  if (user.is_superuser || user.is_system_auditor) return false;
  const organizations = organizationsOf(graph, user);
  if (organizations.length) return organizations.every((id) => graph.holds(actor, 'organization', id, 'admin_role'));
  const keeps = [...graph.records].some(
    ([key, row]) => key.startsWith('organization.') && graph.holds(actor, 'organization', row.id, 'admin_role'),
  );
  return orphans && keeps && graph.given(user).every((id) => graph.heldByGrant(actor).has(id));
};

const derived: Question[] = [
  {
    name: 'host by inventory',
    table: 'hosts',
    rule: parent('inventory_id', 'inventory', 'update_role'),
    expected: (graph, actor, row) => graph.holds(actor, 'inventory', row.inventory_id, 'update_role'),
  },
  {
    name: 'host via inventory',
    table: 'hosts',
    rule: via('inventory_id', 'inventories', role('inventory', 'read_role')),
    expected: (graph, actor, row) => graph.holds(actor, 'inventory', row.inventory_id, 'read_role'),
  },
  {
    name: 'template by project, inventory if any',
    table: 'templates',
    kind: 'job_template',
    rule: permissions.job_template!.create!,
    expected: (graph, actor, row) =>
      graph.holds(actor, 'project', row.project_id, 'use_role') &&
      (row.inventory_id === null || graph.holds(actor, 'inventory', row.inventory_id, 'use_role')),
  },
  {
    name: 'neither executable nor of an organization that the caller administers',
    table: 'templates',
    kind: 'job_template',
    rule: not(anyOf(role('job_template', 'execute_role'), parent('organization_id', 'organization', 'admin_role'))),
    expected: (graph, actor, row) =>
      !(
        graph.holds(actor, 'job_template', row.id, 'execute_role') ||
        graph.holds(actor, 'organization', row.organization_id, 'admin_role')
      ),
  },
  {
    name: 'readable and without organization',
    table: 'inventories',
    rule: allOf(role('inventory', 'read_role'), columnIs('organization_id', null)),
    expected: (graph, actor, row) =>
      row.organization_id === null && graph.holds(actor, 'inventory', row.id, 'read_role'),
  },
  {
    name: 'jobs seen',
    table: 'runs',
    rule: permissions.job!.see,
    expected: (graph, actor, row) =>
      graph.holds(actor, 'job_template', row.template_id, 'read_role') ||
      graph.direct(actor, row.organization_id, 'admin_role', 'auditor_role'),
  },
  {
    name: 'jobs deleted by whoever may, or runs seen of either kind',
    table: 'runs',
    rule: anyOf(permissions.job!.delete!, permissions.unified_job!.see),
    expected: (graph, actor, row) =>
      graph.holds(actor, 'organization', row.organization_id, 'admin_role') ||
      (row.kind === 'job'
        ? graph.holds(actor, 'job_template', row.template_id, 'read_role') ||
          graph.direct(actor, row.organization_id, 'admin_role', 'auditor_role')
        : graph.holds(actor, 'project', row.template_id, 'read_role')),
  },
  {
    name: 'jobs cancelled',
    table: 'runs',
    rule: permissions.job!.cancel!,
    expected: (graph, actor, row) =>
      actor.is_superuser ||
      (row.template_id === null
        ? graph.holds(actor, 'organization', row.organization_id, 'job_template_admin_role')
        : graph.holds(actor, 'job_template', row.template_id, 'admin_role')),
  },
  {
    name: 'users seen',
    table: 'users',
    rule: userVisible(settings),
    expected: (graph, actor, user) =>
      actor.is_superuser ||
      actor.is_system_auditor ||
      user.id === actor.id ||
      user.is_superuser ||
      user.is_system_auditor ||
      [...graph.records].some(
        ([key, row]) =>
          key.startsWith('organization.') &&
          graph.direct(user, row.id, 'member_role') &&
          graph.holds(actor, 'organization', row.id, 'read_role'),
      ),
  },
  {
    name: 'users administered',
    table: 'users',
    rule: administers(settings),
    expected: (graph, actor, user) => administered(graph, actor, user, false),
  },
  {
    name: 'users administered, orphans too',
    table: 'users',
    rule: administers(settings, { orphans: true }),
    expected: (graph, actor, user) => administered(graph, actor, user, true),
  },
  {
    name: 'teams seen',
    table: 'teams',
    rule: teamVisible(settings),
    expected: (graph, actor, row) =>
      graph.holds(actor, 'team', row.id, 'read_role') ||
      graph.holds(actor, 'organization', row.organization_id, 'member_role'),
  },
];

async function rowsByQuery(db: Knex, { table, kind, rule }: Question, actor: Actor): Promise<number[]> {
  const builder = db.from(`${table} as t`).select('t.id').orderBy('t.id');
  if (kind) builder.where('t.kind', kind);
  rule.query(actor, builder, 't');
  return (await builder).map((row: { id: number }) => row.id);
}

/** As lists ask: whole for the page, apart for the count. Ids are too many to be named beyond `most`. */
async function rowsSettled(
  db: Knex,
  question: Question,
  actor: Actor,
  most?: number,
): Promise<{ whole: number[]; apart: number[] } | undefined> {
  const settled = await settle(db, question.rule, actor, 't', most);
  if (!settled) return undefined;
  const rule = (condition: typeof settled.whole): Rule => ({
    ...question.rule,
    query: (_actor, builder) => narrow(builder, condition),
  });
  const apart: number[] = [];
  for (const part of settled.apart) apart.push(...(await rowsByQuery(db, { ...question, rule: rule(part) }, actor)));
  return {
    whole: await rowsByQuery(db, { ...question, rule: rule(settled.whole) }, actor),
    apart: apart.toSorted((a, b) => a - b),
  };
}

/** As details ask: what the actor was given comes along with the row. */
async function rowsRemembered(db: Knex, { table, rule }: Question, actor: Actor, rows: any[]): Promise<number[]> {
  const columns = roleColumns([rule]).filter(({ column }) => column in (rows[0] ?? {}));
  const { rows: asked } = await db.raw(
    `select t.id, ${givenSql(columns, 't', String(actor.id))} as given from ${table} t`,
  );
  const given = new Map(asked.map((row: any) => [row.id, row.given]));
  const found: number[] = [];
  for (const row of rows) {
    const copy = { ...row };
    remember(copy, actor, columns, given.get(row.id) as any);
    if (await rule.row(actor, copy, db)) found.push(row.id);
  }
  return found;
}

/** As lists below one record ask: the record at hand tells of all that is seen through it. */
async function rowsBelow(db: Knex, question: Question, actor: Actor): Promise<number[]> {
  const columns = [{ type: 'inventory', column: 'id' }] as const;
  const { rows: inventories } = await db.raw(
    `select t.*, ${givenSql(columns, 't', String(actor.id))} as given from inventories t`,
  );
  const found: number[] = [];
  for (const row of inventories) {
    remember(row, actor, columns, row.given);
    const above = { column: 'inventory_id', table: 'inventories', row };
    const settled = await settleBelow(db, question.rule, actor, 't', above);
    const query: Rule['query'] = (_actor, builder, alias) => {
      builder.where(`${alias}.inventory_id`, row.id);
      if (settled) narrow(builder, settled.whole);
      else question.rule.query(actor, builder, alias);
    };
    found.push(...(await rowsByQuery(db, { ...question, rule: { ...question.rule, query } }, actor)));
  }
  return found.toSorted((a, b) => a - b);
}

async function rowsByRow(db: Knex, { rule }: Question, actor: Actor, rows: any[]): Promise<number[]> {
  const found: number[] = [];
  for (const row of rows) if (await rule.row(actor, row, db)) found.push(row.id);
  return found;
}

/** Every role field of every record: query forms by type, row forms in one statement. */
async function compareRoles(db: Knex, graph: Graph, actor: Actor, seed: number): Promise<number> {
  const records = [...graph.records].map(([key, row]) => ({
    type: key.split('.')[0] as RoleType,
    id: row.id as number,
  }));
  const needed = records.flatMap(({ type, id }) =>
    Object.keys(roleDefinitions[type]).map((field) => ({ type, field, id })),
  );
  const expected = needed.filter(({ type, id, field }) => graph.holds(actor, type, id, field));
  const missing = new Set(await missingRights(db, actor, needed));
  const where = `seed ${seed}: user ${actor.id}`;
  expect(
    needed.filter((right) => !missing.has(right)),
    `${where}, row form`,
  ).to.deep.equal(expected);
  const found: typeof needed = [];
  for (const type of Object.keys(roleDefinitions) as RoleType[]) {
    const rules = Object.fromEntries(Object.keys(roleDefinitions[type]).map((field) => [field, role(type, field)]));
    const ids = records.filter((record) => record.type === type).map(({ id }) => id);
    const held = await capabilities(db, actor, roleTables[type].table, rules, ids);
    found.push(...needed.filter((right) => right.type === type && held.get(right.id)![right.field]));
  }
  const keys = (rights: typeof needed) => rights.map(({ type, id, field }) => `${type}.${id}.${field}`).toSorted();
  expect(keys(found), `${where}, query form`).to.deep.equal(keys(expected));
  return needed.length;
}

describe(`on ${graphs} random role graphs`, () => {
  let test: TestDatabase;
  before(async () => (test = await createTestDatabase()));
  after(() => test.drop());

  /** Draws a world, asks, and takes it back. */
  async function onGraph(
    seed: number,
    ask: (trx: Knex, graph: Graph, people: Actor[]) => Promise<void>,
  ): Promise<void> {
    await test.db.transaction(
      async (trx) => {
        const { people } = await drawWorld(trx, seed);
        await ask(trx, await drawGraph(trx), people);
        await trx.rollback();
      },
      { doNotRejectOnRollback: true },
    );
  }

  const onAll = async (ask: (trx: Knex, graph: Graph, people: Actor[], seed: number) => Promise<void>) => {
    for (let seed = 1; seed <= graphs; seed++)
      await onGraph(seed, (trx, graph, people) => ask(trx, graph, people, seed));
  };

  it('query form, row form and the drawn graph agree for every user, rule and row', async function () {
    this.timeout(600_000);
    let answers = 0;
    await onAll(async (trx, graph, people, seed) => {
      for (const actor of people) answers += await compareRoles(trx, graph, actor, seed);
      // one in ten asks the roles one by one as well, as lists and details do; the others in bulk, as pages do
      for (const question of seed % 10 ? derived : [...everyRole, ...derived]) {
        const rows = await trx(question.table)
          .where(question.kind ? { kind: question.kind } : {})
          .orderBy('id');
        for (const actor of people) {
          const where = `seed ${seed}: ${question.name} for user ${actor.id}`;
          const expected = rows.filter((row: any) => question.expected(graph, actor, row)).map((row: any) => row.id);
          expect(await rowsByQuery(trx, question, actor), `${where}, query form`).to.deep.equal(expected);
          expect(await rowsByRow(trx, question, actor, rows), `${where}, row form`).to.deep.equal(expected);
          // as lists and details ask, on a part of the graphs
          if (seed % 4 === 0) {
            const settled = await rowsSettled(trx, question, actor, seed % 8 ? undefined : 1);
            if (question.table === 'hosts')
              expect(await rowsBelow(trx, question, actor), `${where}, below`).to.deep.equal(expected);
            if (settled) expect(settled, `${where}, settled`).to.deep.equal({ whole: expected, apart: expected });
          }
          if (seed % 10 === 0)
            expect(await rowsRemembered(trx, question, actor, rows), `${where}, remembered`).to.deep.equal(expected);
          answers += rows.length;
        }
      }
    });
    expect(answers).to.be.greaterThan(80_000);
  });

  it('nobody sees a role beyond those held, below and above; everything held is seen', async function () {
    this.timeout(600_000);
    await onAll(async (trx, graph, people, seed) => {
      const question = { name: 'roles', table: 'roles', rule: roleVisible, expected: () => true };
      const rows = await trx('roles').orderBy('id');
      for (const actor of people) {
        const seen = await rowsByQuery(trx, question, actor);
        if (actor.is_superuser || actor.is_system_auditor)
          expect(seen).to.deep.equal(graph.roleIds.toSorted((a, b) => a - b));
        else {
          const system = rows.filter((row: any) => row.singleton_name).map((row: any) => row.id);
          const allowed = new Set([...graph.heldAndAbove(actor), ...system]);
          expect(
            seen.filter((id) => !allowed.has(id)),
            `seed ${seed}: user ${actor.id} sees too much`,
          ).to.deep.equal([]);
          expect(
            [...graph.held(actor)].filter((id) => !seen.includes(id)),
            `seed ${seed}: user ${actor.id} sees too little`,
          ).to.deep.equal([]);
        }
        if (seed % 20 === 0) expect(await rowsByRow(trx, question, actor, rows)).to.deep.equal(seen);
      }
    });
  });

  it('an access list names exactly those who hold a role on the record, with exactly the roles they hold', async function () {
    this.timeout(600_000);
    await onAll(async (trx, graph, people, seed) => {
      for (const [key, row] of graph.records) {
        const [type] = key.split('.') as [RoleType];
        const list = await accessList(trx, type, row.id);
        const users = trx.from('users as t').select('t.id').orderBy('t.id');
        list.narrow(users, 't');
        const listed = (await users).map((user: { id: number }) => user.id);
        const own = await trx('roles').where({ content_type: type, object_id: row.id });
        const fieldsOf = (user: { id: number }) =>
          own
            .filter((one: any) => graph.held(user).has(one.id))
            .map((one: any) => one.role_field as string)
            .toSorted();
        const expected = people
          .filter((user) => user.is_superuser || user.is_system_auditor || fieldsOf(user).length)
          .map((user) => user.id);
        expect(listed, `seed ${seed}: ${key}`).to.deep.equal(expected);
        const entries = await list.entries(listed, people[0]!, settings);
        for (const user of people.filter(({ id }) => listed.includes(id))) {
          const { direct_access, indirect_access } = entries.get(user.id)!;
          const given = new Set([...direct_access, ...indirect_access].flatMap((entry) => entry.descendant_roles));
          // superusers are not counted into every team there is; they and auditors have their rights without an organization, too
          if (user.is_superuser) expect([...given], `seed ${seed}: ${key}`).to.include('admin_role');
          if (user.is_superuser) continue;
          const expectedFields = user.is_system_auditor
            ? [
                ...new Set([...fieldsOf(user), 'read_role', ...(type === 'organization' ? ['auditor_role'] : [])]),
              ].toSorted()
            : fieldsOf(user);
          expect([...given].toSorted(), `seed ${seed}: ${key} for user ${user.id}`).to.deep.equal(expectedFields);
        }
      }
    });
  });
});

import type { Actor } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { type Ask, type Rewindable, startRewindable, tokenFor } from '../support/rewindable.ts';
import { type Graph, drawGraph } from './oracle.ts';
import { drawWorld } from './random-graph.ts';

const graphs = 30;

/** What the drawn graph says of who sees a row (contract/rbac.md §5 to §7), by the path of its list. */
type Sees = (graph: Graph, actor: Actor, row: any) => boolean;
const held =
  (type: string): Sees =>
  (graph, actor, row) =>
    graph.holds(actor, type, row.id, 'read_role');
const readsAll = (actor: Actor) => actor.is_superuser || actor.is_system_auditor;

const lists: Record<string, { table: string; where?: Record<string, string>; kinds?: string[]; sees: Sees }> = {
  organizations: { table: 'organizations', sees: held('organization') },
  inventories: { table: 'inventories', sees: held('inventory') },
  hosts: {
    table: 'hosts',
    sees: (graph, actor, row) => graph.holds(actor, 'inventory', row.inventory_id, 'read_role'),
  },
  projects: { table: 'templates', where: { kind: 'project' }, sees: held('project') },
  job_templates: { table: 'templates', where: { kind: 'job_template' }, sees: held('job_template') },
  credentials: { table: 'credentials', sees: held('credential') },
  instance_groups: { table: 'instance_groups', sees: held('instance_group') },
  teams: {
    table: 'teams',
    sees: (graph, actor, row) =>
      held('team')(graph, actor, row) || graph.holds(actor, 'organization', row.organization_id, 'member_role'),
  },
  jobs: {
    table: 'runs',
    where: { kind: 'job' },
    sees: (graph, actor, row) =>
      graph.holds(actor, 'job_template', row.template_id, 'read_role') ||
      graph.direct(actor, row.organization_id, 'admin_role', 'auditor_role'),
  },
  unified_job_templates: {
    table: 'templates',
    kinds: ['project', 'job_template'],
    sees: (graph, actor, row) => held(row.kind)(graph, actor, row),
  },
  unified_jobs: {
    table: 'runs',
    kinds: ['job'],
    sees: (graph, actor, row) => lists.jobs!.sees(graph, actor, row),
  },
  users: {
    table: 'users',
    sees: (graph, actor, user) =>
      readsAll(actor) ||
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
};

/** Lists below a record, by the column that ties their rows to it. */
const below: [parent: string, name: string, child: string, column: string][] = [
  ['organizations', 'teams', 'teams', 'organization_id'],
  ['organizations', 'inventories', 'inventories', 'organization_id'],
  ['organizations', 'projects', 'projects', 'organization_id'],
  ['organizations', 'job_templates', 'job_templates', 'organization_id'],
  ['organizations', 'credentials', 'credentials', 'organization_id'],
  ['inventories', 'hosts', 'hosts', 'inventory_id'],
  ['inventories', 'job_templates', 'job_templates', 'inventory_id'],
  ['job_templates', 'jobs', 'jobs', 'template_id'],
];

/** Paths from a list to records of another one: forward by the column of the row, backward by that of the other. */
const spans: [list: string, path: string, other: string, forward?: string, backward?: string][] = [
  ['job_templates', 'inventory', 'inventories', 'inventory_id'],
  ['job_templates', 'project', 'projects', 'project_id'],
  ['job_templates', 'organization', 'organizations', 'organization_id'],
  ['inventories', 'organization', 'organizations', 'organization_id'],
  ['projects', 'organization', 'organizations', 'organization_id'],
  ['credentials', 'organization', 'organizations', 'organization_id'],
  ['teams', 'organization', 'organizations', 'organization_id'],
  ['hosts', 'inventory', 'inventories', 'inventory_id'],
  ['jobs', 'job_template', 'job_templates', 'template_id'],
  ['projects', 'job_templates', 'job_templates', undefined, 'project_id'],
  ['inventories', 'hosts', 'hosts', undefined, 'inventory_id'],
  ['inventories', 'job_templates', 'job_templates', undefined, 'inventory_id'],
  ['organizations', 'inventories', 'inventories', undefined, 'organization_id'],
  ['organizations', 'teams', 'teams', undefined, 'organization_id'],
];

interface World {
  graph: Graph;
  rows: Record<string, any[]>;
  people: (Actor & { token: string })[];
  ask: Ask;
  trx: Knex;
}

describe(`the API on ${graphs} random role graphs`, function () {
  this.timeout(600_000);
  let service: Rewindable;
  let answers = 0;
  before(async () => {
    service = await startRewindable({ TAPLINE_ORG_ADMINS_CAN_SEE_ALL_USERS: 'false' });
  });
  after(async () => {
    await service?.stop();
    console.log(`      ${answers} answers compared`);
  });

  const onGraphs = async (look: (world: World, seed: number) => Promise<void>) => {
    for (let seed = 1; seed <= graphs; seed++)
      await service.undone(async (ask, trx) => {
        const { people } = await drawWorld(trx, seed);
        // a run that is still new is in no list
        await trx('runs').update({ status: 'successful' });
        const graph = await drawGraph(trx);
        const rows: World['rows'] = {};
        for (const [path, { table, where = {}, kinds }] of Object.entries(lists))
          rows[path] = await trx(table)
            .where(where)
            .where((some) => void (kinds && some.whereIn('kind', kinds)))
            .orderBy('id');
        const known: World['people'] = [];
        for (const person of people) known.push({ ...person, token: await tokenFor(trx, person) });
        await look({ graph, rows, people: known, ask, trx }, seed);
      });
  };

  const seen = ({ graph, rows }: World, path: string, actor: Actor): any[] =>
    rows[path]!.filter((row) => lists[path]!.sees(graph, actor, row));
  const idsOf = (rows: { id: number }[]) => rows.map(({ id }) => id);

  /** Ids in the order of the answer; anything but a list as it came. */
  async function idsAt({ ask }: World, { token }: { token: string }, path: string): Promise<unknown> {
    answers++;
    const { status, body } = await ask({ method: 'GET', path: `/api/v2/${path}`, token });
    if (status !== 200) return { status, body };
    if (body.count !== body.results.length) return `count ${body.count} of ${body.results.length}`;
    return idsOf(body.results);
  }

  it('lists and counts exactly the rows that the graph gives, at the top and below records', () =>
    onGraphs(async (world, seed) => {
      for (const person of world.people) {
        const where = `seed ${seed}: user ${person.id}`;
        for (const path of Object.keys(lists))
          expect(await idsAt(world, person, `${path}/?order_by=id&page_size=200`), `${where}: ${path}`).to.deep.equal(
            idsOf(seen(world, path, person)),
          );
        for (const [parent, name, child, column] of below)
          for (const row of seen(world, parent, person).slice(-3))
            expect(
              await idsAt(world, person, `${parent}/${row.id}/${name}/?order_by=id`),
              `${where}: ${parent}/${row.id}/${name}`,
            ).to.deep.equal(idsOf(seen(world, child, person).filter((one) => one[column] === row.id)));
      }
    }));

  it('finds by what it is linked to only through rows that are seen', () =>
    onGraphs(async (world, seed) => {
      for (const person of world.people.slice(2))
        for (const [list, path, other, forward, backward] of spans) {
          const visible = seen(world, other, person);
          for (const { id, name } of world.rows[other]!) {
            const matching = seen(world, list, person).filter((row) =>
              visible.some((one) => one.id === id && (forward ? row[forward] === id : one[backward!] === row.id)),
            );
            const query = `${path}__name=${encodeURIComponent(name)}&order_by=id`;
            expect(
              await idsAt(world, person, `${list}/?${query}`),
              `seed ${seed}: user ${person.id}: ${list}/?${query}`,
            ).to.deep.equal(idsOf(matching));
          }
        }
    }));

  /** Answers must not depend on what the caller does not see: the rows of these lists are renamed behind its back. */
  const renamed = ['organizations', 'teams', 'inventories', 'hosts', 'projects', 'job_templates', 'credentials'];
  const hidden = (world: World, person: Actor) =>
    renamed.flatMap((path) => {
      const visible = new Set(idsOf(seen(world, path, person)));
      return world.rows[path]!.filter(({ id }) => !visible.has(id)).map((row) => ({ path, ...row }));
    });

  function probes(name: string): string[] {
    const value = encodeURIComponent(name);
    return spans.flatMap(([list, path, , forward]) => [
      ...['', '__icontains', '__startswith', '__in', '__gt', '__lte'].map(
        (how) => `${list}/?${path}__name${how}=${value}`,
      ),
      `${list}/?not__${path}__name=${value}`,
      `${list}/?chain__${path}__name=${value}`,
      `${list}/?or__${path}__name=${value}&or__id=0`,
      `${list}/?${path}__search=${value}`,
      `${list}/?search=${value}`,
      ...(forward ? [`${list}/?order_by=${path}__name`, `${list}/?order_by=-${path}__name`] : []),
    ]);
  }

  it('neither filters, searches, orders nor links tell of rows that are not seen', () =>
    onGraphs(async (world, seed) => {
      // every third graph, and one of its people: each asks some hundred questions
      if (seed % 3) return;
      const person = world.people[2 + (seed % 4)]!;
      const rows = hidden(world, person);
      if (!rows.length) return;
      const paths = [...new Set([...probes(rows[seed % rows.length]!.name), ...probes('A new name')])];
      const ask = async () => {
        const all: Record<string, unknown> = {};
        for (const path of paths) all[path] = await idsAt(world, person, path);
        return all;
      };
      const before = await ask();
      for (const { path, id } of rows)
        await world
          .trx(lists[path]!.table)
          .where({ id })
          .update({ name: `A new name ${id}`, description: 'A new name' });
      expect(await ask(), `seed ${seed}: user ${person.id}`).to.deep.equal(before);
    }));

  /** The same question about a record that is not seen and about none: `$id` in paths and bodies. */
  const about: Record<string, [method: string, path: string, body?: string][]> = {
    organizations: [
      ['GET', 'organizations/$id/'],
      ['OPTIONS', 'organizations/$id/'],
      ['GET', 'organizations/$id/teams/'],
      ['PATCH', 'organizations/$id/', '{"name": "x"}'],
      ['DELETE', 'organizations/$id/'],
      ['POST', 'organizations/$id/users/', '{"id": 1}'],
      ['POST', 'teams/', '{"name": "x", "organization": $id}'],
      ['POST', 'inventories/', '{"name": "x", "organization": $id}'],
      ['POST', 'projects/', '{"name": "x", "organization": $id, "scm_type": "git", "scm_url": "https://e.org/x.git"}'],
      ['POST', 'credentials/', '{"name": "x", "organization": $id, "credential_type": 1}'],
    ],
    inventories: [
      ['GET', 'inventories/$id/'],
      ['OPTIONS', 'inventories/$id/hosts/'],
      ['GET', 'inventories/$id/script/'],
      ['PUT', 'inventories/$id/variable_data/', '{}'],
      ['POST', 'hosts/', '{"name": "x", "inventory": $id}'],
      ['POST', 'groups/', '{"name": "x", "inventory": $id}'],
      ['POST', 'job_templates/', '{"name": "x", "inventory": $id, "project": 0, "playbook": "x.yml"}'],
      ['POST', 'job_templates/$template/launch/', '{"inventory": $id}'],
      ['PATCH', 'job_templates/$template/', '{"inventory": $id}'],
      ['GET', 'inventories/$id/explain-access/'],
    ],
    credentials: [
      ['GET', 'credentials/$id/'],
      ['POST', 'credentials/$id/copy/', '{"name": "x"}'],
      ['POST', 'job_templates/$template/credentials/', '{"id": $id}'],
      ['POST', 'job_templates/$template/credentials/', '{"id": $id, "disassociate": true}'],
      ['POST', 'job_templates/$template/launch/', '{"credentials": [$id]}'],
    ],
    projects: [
      ['GET', 'projects/$id/playbooks/'],
      ['POST', 'projects/$id/update/', '{}'],
      ['POST', 'job_templates/', '{"name": "x", "project": $id, "playbook": "x.yml"}'],
      ['PATCH', 'job_templates/$template/', '{"project": $id}'],
    ],
    teams: [
      ['GET', 'teams/$id/'],
      ['POST', 'teams/$id/users/', '{"id": 1}'],
      ['POST', 'roles/$role/teams/', '{"id": $id}'],
    ],
    users: [
      ['GET', 'users/$id/'],
      ['GET', 'users/$id/access_list/'],
      ['PATCH', 'users/$id/', '{}'],
      ['POST', 'roles/$role/users/', '{"id": $id}'],
      ['GET', 'job_templates/$template/explain-access/?user=$id'],
      ['POST', 'credentials/', '{"name": "x", "user": $id, "credential_type": 1}'],
    ],
  };

  it('errors tell of a record that is not seen what they tell of one that is not there', () =>
    onGraphs(async (world, seed) => {
      const { ask, trx } = world;
      const missing = 987_654_321;
      for (const person of world.people.slice(2, seed % 2 ? 3 : 2)) {
        const template = seen(world, 'job_templates', person)[0]?.id;
        const role =
          template && (await trx('roles').where({ content_type: 'job_template', object_id: template }).first()).id;
        for (const [path, questions] of Object.entries(about)) {
          const visible = new Set(idsOf(seen(world, path, person)));
          const secret = world.rows[path]!.find(({ id }) => !visible.has(id));
          if (!secret) continue;
          for (const [method, url, text] of questions.filter(([, url]) => template || !/\$template|\$role/.test(url))) {
            const at = async (id: number) => {
              const fill = (part: string) =>
                part.replaceAll('$template', template).replaceAll('$role', role).replaceAll('$id', String(id));
              answers++;
              const { status, body } = await ask({
                method,
                path: `/api/v2/${fill(url)}`,
                token: person.token,
                body: text && fill(text),
              });
              return `${status} ${JSON.stringify(body)}`.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '$id');
            };
            expect(await at(secret.id), `seed ${seed}: user ${person.id}: ${method} ${url} ${text}`).to.equal(
              await at(missing),
            );
          }
        }
      }
    }));

  /** All that may be told of a record that is not seen: the name of what a record that is seen belongs to or links to. */
  const told = [
    /\.summary_fields\.(organization|inventory|project|job_template)\.(name|description)$/,
    /\.summary_fields\.owners\.N\.name$/,
    /\.related\.named_url$/,
    /\.role\.team_(organization_)?name$/,
    /\.summary_fields\.resource_name$/,
  ];

  it('answers tell nothing of rows that are not seen but the names of those that a visible one is tied to', () =>
    onGraphs(async (world, seed) => {
      if (seed % 10) return;
      const person = world.people[2 + ((seed / 10) % 4)]!;
      const get = async (path: string) => {
        answers++;
        return (await world.ask({ method: 'GET', path, token: person.token })).body;
      };
      const paths = Object.keys(lists).map((path) => `/api/v2/${path}/?page_size=200`);
      for (const page of [...paths, '/api/v2/roles/?page_size=200'])
        for (const { url, related } of (await get(page)).results.slice(0, 3))
          paths.push(url, ...(Object.values(related).filter((link) => String(link).startsWith(url)) as string[]));
      paths.push(
        ...paths
          .filter((path) => /(templates|inventories|projects)\/\d+\/$/.test(path))
          .map((path) => `${path}explain-access/`),
      );
      const before = new Map<string, unknown>();
      for (const path of new Set(paths)) before.set(path, await get(path));
      for (const { path, id } of hidden(world, person))
        await world
          .trx(lists[path]!.table)
          .where({ id })
          .update({ name: `A new name ${id}`, description: 'A new name' });
      const leaks: string[] = [];
      for (const [path, body] of before)
        leaks.push(...differences(body, await get(path), path.replaceAll(/\d+/g, 'N')));
      expect(leaks.filter((leak) => !told.some((pattern) => pattern.test(leak)))).to.deep.equal([]);
    }));
});

/** The places in which two answers differ, numbers left out. */
function differences(one: any, other: any, path: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], `${path}.${key.replace(/^\d+$/, 'N')}`));
}

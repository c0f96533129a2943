import { expect } from 'chai';
import type { Knex } from 'knex';
import { type ApiIsland, type ApiIslands, type Person, startIslands } from './api-islands.ts';
import { eachOf, rowsOf, tables } from './islands.ts';
import { testSeed } from './random-graph.ts';
import { spans } from './spans.ts';
import { topLists } from './sublists.ts';

const graphs = 30;
const atOnce = 8;

describe(`what is not seen, on ${graphs} random role graphs (TEST_SEED=${testSeed})`, function () {
  let world: ApiIslands;
  let errors = 0;
  before(async () => {
    world = await startIslands(graphs);
  });
  after(async () => {
    await world?.service.stop();
    console.log(`      ${world?.asked()} answers and ${errors} errors compared`);
  });

  /** Answers must not depend on what the caller does not see: the rows of these lists are renamed behind its back. */
  const renamed = [
    'organization',
    'team',
    'inventory',
    'host',
    'group',
    'project',
    'job_template',
    'job',
    'credential',
  ];
  const hiddenFrom = (person: Person) =>
    renamed.map((type) => {
      const visible = new Set(world.seen(type, person));
      return { table: tables[type]![0], rows: world.facts.rows[type]!.filter((row) => !visible.has(row)) };
    });

  const write = (db: Knex, table: string, rows: any[]) =>
    db.raw(
      `update ?? t set name = n.name, description = n.description from json_to_recordset(?) as n (id bigint, name text, description text) where n.id = t.id`,
      [table, JSON.stringify(rows.map(({ id, name, description }) => ({ id, name, description })))],
    );

  /** Has the rows that a person does not see named otherwise meanwhile. */
  async function whileRenamed<T>(person: Person, work: () => Promise<T>): Promise<T> {
    const { db } = world.service;
    const hidden = hiddenFrom(person);
    for (const { table, rows } of hidden)
      await write(
        db,
        table,
        rows.map(({ id }) => ({ id, name: `A new name ${id}`, description: 'A new name' })),
      );
    try {
      return await work();
    } finally {
      for (const { table, rows } of hidden) await write(db, table, rows);
    }
  }

  /** The answers to these paths, some asked at once. */
  async function answersTo<T>(paths: readonly string[], ask: (path: string) => Promise<T>): Promise<Map<string, T>> {
    const all = new Map<string, T>();
    await eachOf(paths, atOnce, async (path) => void all.set(path, await ask(path)));
    return new Map(paths.map((path) => [path, all.get(path)!]));
  }

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

  it('shows neither by filters, searches, orders nor links', async () => {
    // every third graph, and one of its people: each asks some hundred questions
    for (const { seed, people, ...island } of world.islands.filter(({ seed }) => seed % 3 === 0)) {
      const person = people[2 + (seed % 4)]!;
      const own = renamed.flatMap((type) => {
        const visible = new Set(world.seen(type, person));
        return rowsOf(world.facts, { seed, people, ...island }, type).filter((row) => !visible.has(row));
      });
      if (!own.length) continue;
      const paths = [...new Set([...probes(own[seed % own.length]!.name), ...probes('A new name')])];
      const ask = () => answersTo(paths, (path) => world.idsAt(person, path));
      const before = await ask();
      const after = await whileRenamed(person, ask);
      expect(Object.fromEntries(after), `seed ${seed}: user ${person.id}`).to.deep.equal(Object.fromEntries(before));
    }
    expect(world.asked()).to.be.at.least(150 * graphs);
  });

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

  it('is told by no error apart from what is not there', async () => {
    const missing = 987_654_321;
    const types: Record<string, string> = { ...topLists };
    const asked: [ApiIsland, Person][] = world.islands
      .filter(({ seed }) => seed % 2)
      .map((island) => [island, island.people[2]!]);
    for (const [island, person] of asked)
      await world.service.undone(async (ask) => {
        const named = world.seen('job_template', person)[0];
        const template = named?.id;
        // what the template has anyhow may be given to it again
        const own = (row: any) =>
          [named?.inventory_id, named?.project_id].includes(row.id) ||
          world.facts
            .links('template_credentials', 'credential_id', row.id)
            .some((link) => link.template_id === template);
        const role = template && world.facts.graph.roleId('job_template', template, 'admin_role');
        for (const [path, questions] of Object.entries(about)) {
          const type = types[`${path}/`]!;
          const visible = new Set(world.seen(type, person));
          const secret = rowsOf(world.facts, island, type).find((row) => !visible.has(row) && !own(row));
          if (!secret) continue;
          for (const [method, url, text] of questions.filter(([, url]) => template || !/\$template|\$role/.test(url))) {
            const at = async (id: number) => {
              const fill = (part: string) =>
                part.replaceAll('$template', template).replaceAll('$role', String(role)).replaceAll('$id', String(id));
              const question = { method, path: `/api/v2/${fill(url)}`, token: person.token, body: text && fill(text) };
              const { status, body } = await ask(question);
              errors++;
              return `${status} ${JSON.stringify(body)}`.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '$id');
            };
            expect(await at(secret.id), `seed ${island.seed}: user ${person.id}: ${method} ${url} ${text}`).to.equal(
              await at(missing),
            );
          }
        }
      });
    expect(errors).to.be.at.least(10 * graphs);
  });

  /** All that may be told of a record that is not seen: the name of what a record that is seen belongs to or links to. */
  const told = [
    /\.summary_fields\.(organization|inventory|project|job_template|host)\.(name|description)$/,
    /\.summary_fields\.((source_|target_)?credential|source_project|unified_job_template|input_inventory)\.(name|description)$/,
    // runs on a host, below it and where a run's events and summaries are
    /\.summary_fields\.(job|recent_jobs\.N)\.(name|description|job_template_name)$/,
    /\.(summary_fields|defaults)\.credentials\.N\.(name|description)$/,
    /\.summary_fields\.owners\.N\.name$/,
    /\.related\.named_url$/,
    /\.role\.team_(organization_)?name$/,
    /\.summary_fields\.(resource_name|content_object\.name)$/,
  ];

  it('is told by no answer but for the names of what a visible row is tied to', async () => {
    for (const { seed, people } of world.islands.filter(({ seed }) => seed % 10 === 0)) {
      const person = people[2 + ((seed / 10) % 4)]!;
      const get = async (path: string) => (await world.get(person, path.replace('/api/v2/', ''))).body;
      const paths = Object.keys(topLists).map((path) => `/api/v2/${path}?page_size=200`);
      for (const page of paths.slice())
        for (const { url, related } of (await get(page)).results.slice(-3))
          paths.push(url, ...(Object.values(related).filter((link) => String(link).startsWith(url)) as string[]));
      paths.push(
        ...paths
          .filter((path) => /(templates|inventories|projects)\/\d+\/$/.test(path))
          .map((path) => `${path}explain-access/`),
      );
      const ask = () => answersTo([...new Set(paths)], get);
      const before = await ask();
      const after = await whileRenamed(person, ask);
      const leaks = [...before].flatMap(([path, body]) =>
        differences(body, after.get(path), path.replaceAll(/\d+/g, 'N')),
      );
      expect(
        leaks.filter((leak) => !told.some((pattern) => pattern.test(leak))),
        `seed ${seed}: user ${person.id}`,
      ).to.deep.equal([]);
    }
  });
});

/** The places in which two answers differ, numbers left out. */
function differences(one: any, other: any, path: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return [path];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].flatMap((key) => differences(one[key], other[key], `${path}.${key.replace(/^\d+$/, 'N')}`));
}

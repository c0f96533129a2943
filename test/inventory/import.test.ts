import { expect } from 'chai';
import type { Knex } from 'knex';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importInventory, previewImport, type ImportSource } from '../../core/inventory/import/import.ts';
import { loopIn } from '../../core/inventory/import/loops.ts';
import { mergeStaged } from '../../core/inventory/import/merge.ts';
import { createDoors } from '../../core/rbac/doors.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Given {
  variables?: object;
  /** name, variables, enabled, instance id */
  hosts?: [name: string, variables?: object, enabled?: boolean | null, instance?: string][];
  groups?: Record<string, object>;
  members?: [group: string, host: string][];
  children?: [parent: string, child: string][];
}

const root = temporaryFolder('rows');
let folders = 0;
function emptyFolder(): string {
  const folder = join(root, String((folders += 1)));
  mkdirSync(folder);
  return folder;
}

/** As update.py leaves it. */
function folderOf({ variables = {}, hosts = [], groups = {}, members = [], children = [] }: Given): string {
  const folder = emptyFolder();
  const lines = (rows: string[][]) => rows.map((row) => `${row.join('\t')}\n`).join('');
  const json = (value: unknown) => JSON.stringify(value);
  const flag = (enabled: boolean | null) => (enabled === null ? '-' : enabled ? '1' : '0');
  const write = (name: string, rows: string[][]) => writeFileSync(join(folder, name), lines(rows));
  write('variables', [[json(variables)]]);
  write(
    'hosts',
    hosts.map(([name, own = {}, on = null, id = '']) => [json(name), flag(on), json(id), json(own)]),
  );
  write(
    'groups',
    Object.entries(groups).map(([name, own]) => [json(name), json(own)]),
  );
  write(
    'members',
    members.map((pair) => pair.map(json)),
  );
  write(
    'children',
    children.map((pair) => pair.map(json)),
  );
  return folder;
}

describe('an import into an inventory', function () {
  let db: Knex;
  let close: () => Promise<void>;
  let organization: number;
  let made = 0;
  before(async () => {
    const database = await createTestDatabase();
    ({ db } = database);
    close = () => database.drop();
    [{ id: organization }] = await db('organizations').insert({ name: 'import' }).returning('id');
  });
  after(() => close());

  const mostBytes = 10_000_000;

  async function makeSource(options: Partial<ImportSource> = {}): Promise<ImportSource> {
    const name = `import ${(made += 1)}`;
    const inventory =
      options.inventory_id ??
      (await db('inventories').insert({ name, organization_id: organization }).returning('id'))[0].id;
    const [{ id }] = await db('templates')
      .insert({ kind: 'inventory_source', source: 'scm', name, inventory_id: inventory })
      .returning('id');
    return {
      overwrite: false,
      overwrite_vars: false,
      max_removed_percent: null,
      ...options,
      id,
      inventory_id: inventory,
    };
  }
  const bring = (source: ImportSource, given: Given, doors = createDoors()) =>
    db.transaction((trx) => importInventory(trx, { path: folderOf(given), mostBytes }, source, { doors }));
  const refusal = (source: ImportSource, given: Given) =>
    bring(source, given).then(
      () => 'it was taken',
      (error: Error) => error.message,
    );
  const hostsOf = async ({ inventory_id }: ImportSource) => db('hosts').where({ inventory_id }).orderBy('name');
  const namesOf = async (source: ImportSource) => (await hostsOf(source)).map(({ name }) => name);
  const linksOf = async ({ inventory_id }: ImportSource) =>
    (
      await db('group_hosts as l')
        .join('groups as g', 'g.id', 'l.group_id')
        .join('hosts as h', 'h.id', 'l.host_id')
        .where('g.inventory_id', inventory_id)
        .orderBy(['g.name', 'h.name'])
        .select({ group: 'g.name', host: 'h.name' })
    ).map(({ group, host }) => `${group}/${host}`);

  it('adds to what is there: variables are merged, and what the source lacks stays', async () => {
    const source = await makeSource();
    await db('hosts').insert({
      name: 'a',
      inventory_id: source.inventory_id,
      variables: 'mine: 1\nx: 1.0  # kept\n',
    });
    const given: Given = {
      hosts: [
        ['a', { x: 2 }],
        ['b', { y: 1 }],
      ],
      groups: { g: {} },
      members: [['g', 'a']],
    };
    expect((await bring(source, given)).hosts).to.deep.equal({ found: 2, added: 1, changed: 1, removed: 0 });
    const [a, b] = await hostsOf(source);
    expect(JSON.parse(a.variables)).to.deep.equal({ mine: 1, x: 2 });
    expect(b).to.include({ variables: '{"y":1}', enabled: true });
    const again = await bring(source, { hosts: [['b', { y: 1 }]], groups: {} });
    expect(again.hosts).to.deep.equal({ found: 1, added: 0, changed: 0, removed: 0 });
    expect(await linksOf(source)).to.deep.equal(['g/a']);
  });

  it('keeps what somebody writes while it runs', async () => {
    const source = await makeSource();
    const { inventory_id: id } = source;
    const given = (x: number): Given => ({ variables: { x }, hosts: [['a', { x }]], groups: { g: { x } } });
    await bring(source, given(1));
    const person = await db.transaction();
    for (const [table, where] of [
      ['inventories', { id }],
      ['hosts', { inventory_id: id }],
      ['groups', { inventory_id: id }],
    ] as const)
      await person(table).where(where).update({ variables: '{"x":1,"mine":true}' });
    const brought = bring(source, given(2));
    const waits = () => db('pg_stat_activity').where({ wait_event_type: 'Lock' }).first('pid');
    await until(async () => (await waits()) !== undefined);
    await person.commit();
    await brought;
    for (const [table, where] of [
      ['inventories', { id }],
      ['hosts', { inventory_id: id }],
      ['groups', { inventory_id: id }],
    ] as const)
      expect(JSON.parse((await db(table).where(where).first()).variables), table).to.deep.equal({ x: 2, mine: true });
  });

  it('removes what several sources brought with the last of them that still did', async () => {
    const keeping = await makeSource();
    const { inventory_id } = keeping;
    const [second, third] = [
      await makeSource({ inventory_id, overwrite: true }),
      await makeSource({ inventory_id, overwrite: true }),
    ];
    const whole: Given = { hosts: [['a'], ['b']], groups: { g: {} } };
    const part: Given = { hosts: [['b']], groups: {} };
    for (const source of [keeping, second, third]) await bring(source, whole);
    const sourcesOf = async (name: string) =>
      (await db('hosts').where({ inventory_id, name }).first('source_ids'))?.source_ids;
    // it does not overwrite: it stays its own
    await bring(keeping, part);
    expect(await sourcesOf('a')).to.deep.equal([keeping.id, second.id, third.id]);
    expect((await bring(second, part)).hosts.removed).to.equal(0);
    expect(await sourcesOf('a')).to.deep.equal([keeping.id, third.id]);
    const last = await bring(third, part);
    expect([last.hosts.removed, last.groups.removed]).to.deep.equal([1, 1]);
    expect(await namesOf(keeping)).to.deep.equal(['b']);
    // one that brings it again holds it again
    for (const source of [keeping, second]) await bring(source, whole);
    await bring(keeping, part);
    await bring(keeping, whole);
    expect((await bring(second, part)).hosts.removed).to.equal(0);
    // and what it once brought it removes when it overwrites
    await bring(keeping, part);
    expect((await bring({ ...keeping, overwrite: true }, part)).hosts.removed).to.equal(1);
    expect(await namesOf(keeping)).to.deep.equal(['b']);
  });

  it('writes nothing where nothing changed', async () => {
    const source = await makeSource({ overwrite: true, overwrite_vars: true });
    const given: Given = {
      variables: { all: true },
      hosts: [['a', { x: 1 }, true, 'i-1'], ['b']],
      groups: { g: { v: 1 }, h: {} },
      members: [['g', 'a']],
      children: [['g', 'h']],
    };
    await bring(source, given);
    const versions = () =>
      Promise.all(
        ['hosts', 'groups', 'group_hosts', 'group_children', 'inventories'].map((table) =>
          db(table).select(db.raw('xmin::text, ctid::text')),
        ),
      );
    const before = await versions();
    const report = await bring(source, given);
    expect(report.variables_changed).to.equal(false);
    expect(await versions()).to.deep.equal(before);
  });

  it('removes what the source brought and has no more, with overwrite alone; what others brought or made stays', async () => {
    const source = await makeSource({ overwrite: true });
    const other = await makeSource({ inventory_id: source.inventory_id });
    await bring(source, {
      hosts: [['a'], ['b'], ['c']],
      groups: { g: {}, h: {} },
      members: [
        ['g', 'a'],
        ['g', 'b'],
      ],
    });
    await bring(other, { hosts: [['c']] });
    await db('hosts').insert({ name: 'mine', inventory_id: source.inventory_id });
    const report = await bring(source, { hosts: [['a']], groups: { g: {} } });
    expect(report.hosts).to.deep.equal({ found: 1, added: 0, changed: 0, removed: 1 });
    expect(report.groups.removed).to.equal(1);
    expect(await namesOf(source)).to.deep.equal(['a', 'c', 'mine']);
    expect(await linksOf(source)).to.deep.equal([]);
  });

  it('keeps the row of a host that the source calls by another name: its facts and summaries are those of its instance', async () => {
    const source = await makeSource({ overwrite: true });
    await bring(source, {
      hosts: [
        ['old', {}, null, 'i-1'],
        ['same', {}, null, 'i-2'],
      ],
    });
    const [before] = await hostsOf(source);
    const report = await bring(source, {
      hosts: [
        ['new', {}, null, 'i-1'],
        ['same', {}, null, 'i-2'],
      ],
    });
    expect(report.hosts).to.deep.equal({ found: 2, added: 0, changed: 0, removed: 0 });
    expect((await hostsOf(source))[0]).to.include({ id: before.id, name: 'new', instance_id: 'i-1' });
  });

  it('enables and disables where the source says so, and leaves it alone where not', async () => {
    const source = await makeSource();
    await bring(source, { hosts: [['a', {}, false], ['b']] });
    await db('hosts').where({ inventory_id: source.inventory_id, name: 'b' }).update({ enabled: false });
    await bring(source, { hosts: [['a', {}, true], ['b']] });
    expect((await hostsOf(source)).map(({ enabled }) => enabled)).to.deep.equal([true, false]);
  });

  it('merges anew with what somebody changed or cleared since', async () => {
    const { inventory_id } = await makeSource();
    await db('hosts').insert({ name: 'a', inventory_id, variables: 'mine: 1' });
    await db.transaction(async (trx) => {
      await trx.raw(
        'create temporary table staged_hosts (name text, variables text, given text, seen text) on commit drop',
      );
      await trx('staged_hosts').insert({ name: 'a', variables: '{"x":2}' });
      const merged = async (own: string) => {
        await trx('hosts').where({ inventory_id }).update({ variables: own });
        await mergeStaged(trx, 'hosts', inventory_id);
        return JSON.parse((await trx('staged_hosts').first()).variables);
      };
      expect(await merged('mine: 1')).to.deep.equal({ mine: 1, x: 2 });
      expect(await merged('mine: 3')).to.deep.equal({ mine: 3, x: 2 });
      expect(await merged('')).to.deep.equal({ x: 2 });
    });
  });

  it('keeps the digits of numbers', async () => {
    const source = await makeSource({ overwrite_vars: true });
    const folder = folderOf({});
    writeFileSync(join(folder, 'hosts'), '"a"\t-\t""\t{"big": 12345678901234567890, "exact": 1.50}\n');
    await db.transaction((trx) => importInventory(trx, { path: folder, mostBytes }, source));
    expect((await hostsOf(source))[0].variables).to.equal('{"big": 12345678901234567890, "exact": 1.50}');
  });

  it('stops at max_removed_percent and says so', async () => {
    const source = await makeSource({ overwrite: true, max_removed_percent: 50 });
    await bring(source, { hosts: [['a'], ['b'], ['c'], ['d']] });
    await bring(source, { hosts: [['a'], ['b']] });
    expect(await refusal(source, { hosts: [] })).to.equal(
      'The update would remove 2 of the 2 hosts of this source (100 %), more than the 50 % of max_removed_percent. Nothing was changed. If that is meant, raise max_removed_percent and update again.',
    );
    expect(await namesOf(source)).to.deep.equal(['a', 'b']);
  });

  it('previews by name and writes nothing', async () => {
    const source = await makeSource({ overwrite: true, max_removed_percent: 10 });
    await bring(source, { hosts: [['a'], ['b'], ['r', {}, null, 'i']], groups: { g: {} } });
    const given: Given = { hosts: [['a', { x: 1 }], ['c'], ['renamed', {}, null, 'i']], groups: {} };
    const path = folderOf(given);
    const report = await db.transaction((trx) => previewImport(trx, { path, mostBytes }, source));
    expect(report.hosts).to.deep.equal({
      found: 3,
      added: 1,
      changed: 1,
      removed: 1,
      names: { added: ['c'], changed: ['a'], removed: ['b'] },
    });
    expect(report.groups.names!.removed).to.deep.equal(['g']);
    expect(report.refused).to.contain('max_removed_percent');
    expect(await namesOf(source)).to.deep.equal(['a', 'b', 'r']);
  });

  it('asks the guards on hosts with their number, and takes their no', async () => {
    const doors = createDoors();
    const seen: number[] = [];
    doors.guard('host', 'create', ({ count }) => void seen.push(count));
    const source = await makeSource();
    await bring(source, { hosts: [['a'], ['b']] }, doors);
    expect(seen).to.deep.equal([2]);
  });

  it('holds the organization to its number of hosts', async () => {
    const [{ id: small }] = await db('organizations').insert({ name: 'small', max_hosts: 2 }).returning('id');
    const [{ id }] = await db('inventories').insert({ name: 'small', organization_id: small }).returning('id');
    const source = await makeSource({ inventory_id: id });
    await bring(source, { hosts: [['a'], ['b']] });
    expect(await refusal(source, { hosts: [['a'], ['b'], ['c']] })).to.match(/may have 2 hosts and no more/);
    const preview = (hosts: Given['hosts'] = []) =>
      db.transaction((trx) => previewImport(trx, { path: folderOf({ hosts }), mostBytes }, source));
    expect((await preview([['a'], ['b'], ['c']])).refused).to.match(/may have 2 hosts and no more/);
    expect(await preview([['a'], ['b']])).not.to.have.property('refused');
    expect(await namesOf(source)).to.deep.equal(['a', 'b']);
    // a name that another inventory keeps, under which a host is not found any more
    const [{ id: other }] = await db('inventories').insert({ name: 'twin', organization_id: small }).returning('id');
    await db('hosts').insert({ name: 'a', inventory_id: other });
    await db('hosts').where({ inventory_id: id, name: 'a' }).update({ instance_id: 'i-1' });
    expect(await refusal(source, { hosts: [['z', {}, null, 'i-1'], ['b']] })).to.match(/may have 2 hosts and no more/);
  });

  it('refuses circles of groups, also those that somebody closed by hand', async () => {
    const source = await makeSource();
    const groups = { a: {}, b: {}, c: {} };
    await bring(source, { groups, children: [['a', 'b']] });
    const group = Object.fromEntries(
      (await db('groups').where({ inventory_id: source.inventory_id })).map(({ name, id }) => [name, id]),
    );
    await db('group_children').insert({ parent_id: group.c, child_id: group.a });
    expect(await refusal(source, { groups, children: [['b', 'c']] })).to.equal(
      'The groups "a", "b", "c" would contain each other. Nothing was changed.',
    );
    expect(await refusal(source, { groups, children: [['a', 'a']] })).to.match(/puts group "a" into itself/);
    const deep = Array.from({ length: 20_000 }, (_, at) => `deep ${at}`);
    const pairs = deep.slice(1).map((child, at): [string, string] => [deep[at]!, child]);
    const nested = { groups: Object.fromEntries(deep.map((name) => [name, {}])), children: pairs };
    expect(await refusal(source, nested)).to.match(/deeper than 100 levels/);
    expect(
      loopIn(
        [
          [1, 2],
          [2, 3],
          [4, 4],
        ].map(([parent_id, child_id]) => ({ parent_id: parent_id!, child_id: child_id! })),
      ),
    ).to.deep.equal([4]);
  });

  it('refuses what cannot be stored, naming it, and what is no inventory', async () => {
    const source = await makeSource();
    await bring(source, { hosts: [['a']] });
    const refused: [Given, RegExp][] = [
      [{ hosts: [['a\0b']] }, /names a host "a\\u0000b", with a character that cannot be stored/],
      [{ hosts: [['\ud800']] }, /with a character that cannot be stored/],
      [{ hosts: [['{{ lookup("pipe", "id") }}']] }, /template delimiters/],
      [{ hosts: [['x'.repeat(513)]] }, /longer than 512/],
      [{ hosts: [[' ']] }, /is no name/],
      [{ groups: { all: {} } }, /named? a group all, which is reserved|names a group all/],
      [{ hosts: [['a', {}, null, 'i\0']] }, /instance id that cannot be stored/],
    ];
    for (const [given, said] of refused) expect(await refusal(source, given)).to.match(said);
    const broken = [
      'garbage\n',
      '"a"\n',
      '"a"\t-\t""\t[]\n',
      '"a"\t?\t""\t{}\n',
      '"a"\t-\t""\t{"x":1}',
      `"a"\t-\t""\t${'{"a":'.repeat(200)}1${'}'.repeat(200)}\n`,
    ];
    for (const text of broken) {
      const folder = folderOf({});
      writeFileSync(join(folder, 'hosts'), text);
      const said = await db
        .transaction((trx) => importInventory(trx, { path: folder, mostBytes }, source))
        .catch((error: Error) => error.message);
      expect(said, text).to.match(/is no inventory|nested deeper/);
    }
    const large = folderOf({ hosts: [['a', { x: 'x'.repeat(1000) }]] });
    const said = await db
      .transaction((trx) => importInventory(trx, { path: large, mostBytes: 500 }, source))
      .catch((error: Error) => error.message);
    expect(said).to.contain('more than the 500 bytes of INVENTORY_MAX_BYTES');
    const linked = emptyFolder();
    symlinkSync('/etc/passwd', join(linked, 'hosts'));
    const followed = await db
      .transaction((trx) => importInventory(trx, { path: linked, mostBytes }, source))
      .catch((error: Error) => error.message);
    expect(followed).to.contain('left no inventory');
    expect(await namesOf(source)).to.deep.equal(['a']);
  });

  it('takes two sources of one inventory after each other', async () => {
    const one = await makeSource({ overwrite: true });
    const two = await makeSource({ inventory_id: one.inventory_id, overwrite: true });
    const hosts = Array.from({ length: 200 }, (_, at): [string] => [`h${at}`]);
    await Promise.all([bring(one, { hosts }), bring(two, { hosts }), bring(one, { hosts }), bring(two, { hosts })]);
    expect(await namesOf(one)).to.have.length(200);
    const [{ source_ids }] = await hostsOf(one);
    expect(source_ids.map(Number)).to.have.members([one.id, two.id]);
  });

  it('takes a hundred thousand groups in the time of a few statements', async () => {
    const source = await makeSource({ overwrite: true });
    const groups = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`g${at}`, {}]));
    const children = Object.keys(groups)
      .slice(1)
      .map((name, at): [string, string] => [`g${at >> 3}`, name]);
    const report = await bring(source, { groups, children, hosts: [['a']], members: [['g9', 'a']] });
    expect(report.groups.added).to.equal(100_000);
    expect((await bring(source, { groups, children, hosts: [['a']], members: [['g9', 'a']] })).groups.changed).to.equal(
      0,
    );
    await db('inventories').where({ id: source.inventory_id }).delete();
    expect(await db('templates').where({ id: source.id }).first('id')).to.equal(undefined);
  });
});

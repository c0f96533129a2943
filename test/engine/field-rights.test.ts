import { authenticated, defineResource, field, format, type Resource, type Rule } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { anyOf, owner, superuser } from '../../core/rbac/rules.ts';
import { openStage, type Stage } from './stage.ts';

const sql = `
  create table depots (id bigint generated always as identity primary key, name text not null);
  create table crates (
    id bigint generated always as identity primary key, name text not null, owner_id bigint, depot_id bigint references depots,
    price integer not null default 0, weight numeric(8, 2) not null default 0, due timestamptz, note text not null default 'none',
    keeper_id bigint references depots);
  insert into depots (name) values ('north'), ('south');`;

const ownerOnly = anyOf(superuser, owner('owner_id'));

const crate = (fields: Resource['fields'] = {}, more: Partial<Resource> = {}) =>
  defineResource({
    type: 'crate',
    path: 'crates',
    table: 'crates',
    label: 'Crate',
    access: { see: authenticated, create: authenticated, change: authenticated },
    orderBy: ['id'],
    fields: {
      name: field.string(),
      depot: field.ref('depot'),
      price: field.integer({ read: ownerOnly, write: superuser }),
      keeper: field.ref('depot', { read: ownerOnly }),
      weight: field.decimal({ write: superuser }),
      due: field.datetime({ nullable: true, write: superuser }),
      note: field.string({ default: 'none', write: superuser }),
      ...fields,
    },
    formats: { csv: format.csv({ columns: { Name: 'name', Price: 'price', Keeper: 'summary_fields.keeper.name' } }) },
    ...more,
  });

const depot = defineResource({
  type: 'depot',
  path: 'depots',
  table: 'depots',
  label: 'Depot',
  access: { see: authenticated },
  orderBy: ['id'],
  fields: { name: field.string() },
  sublists: { crates: { resource: 'crate', column: 'depot_id', create: true, write: authenticated } },
});

describe('rights on single fields', () => {
  let stage: Stage;
  let mine: number;
  let other: number;
  before(async () => {
    stage = await openStage([crate(), depot], { sql });
    const { id } = await stage.db('users').where({ username: 'nobody' }).first();
    const values = { depot_id: 1, price: 5, keeper_id: 2, weight: '1.50', due: '2026-01-01T00:00:00.5Z', note: 'kept' };
    [mine, other] = await stage
      .db('crates')
      .insert([
        { name: 'mine', owner_id: id, ...values },
        { name: 'other', ...values },
      ])
      .returning('id')
      .then((rows) => rows.map((row) => row.id));
  });
  after(() => stage.close());

  const row = async (id: number, as: string) => (await stage.get(`crates/${id}/`, as)).body;
  const stored = (id: number) => stage.db('crates').where({ id }).first();
  const patch = (id: number, body: unknown, as = 'nobody') => stage.send('PATCH', `crates/${id}/`, body, { as });

  describe('to read', () => {
    it('leave out the value, the link and its summary, where the row says so', async () => {
      const [own, others] = [await row(mine, 'nobody'), await row(other, 'nobody')];
      expect(own).to.include({ price: 5, keeper: 2 });
      expect(own.summary_fields.keeper.name).to.equal('south');
      expect(others).to.not.have.any.keys('price', 'keeper');
      expect(others.related).to.have.all.keys('depot');
      expect(others.summary_fields).to.have.all.keys('depot');
      for (const as of ['admin', 'reader']) expect(await row(other, as), as).to.include({ price: 5, keeper: 2 });
    });

    it('hold in lists, below other records, in other formats and in answers to changes', async () => {
      for (const path of ['crates/', 'depots/1/crates/']) {
        const { results } = (await stage.get(path, 'nobody')).body;
        expect(
          results.map(({ price }: any) => price),
          path,
        ).to.deep.equal([5, undefined]);
      }
      const csv = (await stage.get('crates/?format=csv', 'nobody')).body;
      expect(csv).to.equal('Name,Price,Keeper\r\nmine,5,south\r\nother,,\r\n');
      expect((await patch(other, { name: 'other' })).body).to.not.have.property('price');
    });

    it('cost a page one statement, and superusers none', async () => {
      const count = (as: string) => stage.statements(() => stage.get('crates/', as));
      await count('nobody');
      expect((await count('nobody')) - (await count('admin'))).to.equal(1);
    });

    it('keep filters, orders and searches from telling the value', async () => {
      const queries = [
        'price=5',
        'not__price=5',
        'or__price__gt=1&or__name=x',
        'price__in=5',
        'price__isnull=false',
        'order_by=price',
        'keeper=2',
        'keeper__name=south',
        'keeper__search=south',
        'order_by=-keeper__name',
        'chain__keeper_id=2',
      ];
      for (const query of queries) {
        const { status, body } = await stage.get(`crates/?${query}`, 'nobody');
        expect(status, query).to.equal(403);
        expect(body.detail, query).to.match(/Filtering on (price|keeper|keeper_id) is not allowed/);
        expect((await stage.get(`crates/?${query}`)).status, query).to.equal(200);
      }
      for (const query of ['crates__price=5', 'crates__keeper__name=south']) {
        expect((await stage.get(`depots/?${query}`, 'nobody')).status, query).to.equal(403);
        expect((await stage.get(`depots/?${query}`)).body.count, query).to.equal(1);
      }
      expect((await stage.get(`crates/${other}/?price=5`, 'nobody')).status).to.equal(403);
    });
  });

  describe('to write', () => {
    it('refuse another value than is there, by name, before any word on its form', async () => {
      for (const [name, value] of [
        ['note', 'changed'],
        ['weight', '2'],
        ['due', null],
        ['due', '2026-01-02'],
        ['price', 6],
        ['price', 'many'],
      ] as const) {
        const { status, body } = await patch(mine, { [name]: value, depot: 99 });
        expect([status, body], name).to.deep.equal([403, { detail: `You may not change ${name}.` }]);
      }
      expect((await patch(mine, { note: 'kept', depot: 99 })).status).to.equal(400);
    });

    it('let values pass that are sent back as they were', async () => {
      for (const body of [
        { note: 'kept', weight: '1.5', due: '2026-01-01T00:00:00.500Z', price: '5' },
        { weight: 1.5, due: '2026-01-01 01:00:00.5+01:00', name: 'mine' },
        await row(mine, 'nobody'),
      ])
        expect((await patch(mine, body)).status).to.equal(200);
      expect((await stored(mine)).note).to.equal('kept');
    });

    it('tell nothing of a value that the caller may not read either', async () => {
      for (const price of [5, 6]) expect((await patch(other, { price })).status).to.equal(403);
      for (const keeper of [1, 2]) expect((await patch(other, { keeper })).status).to.equal(403);
    });

    it('keep the value where a PUT lacks it', async () => {
      const { status } = await stage.send('PUT', `crates/${other}/`, { name: 'other', depot: 1 }, { as: 'nobody' });
      expect(status).to.equal(200);
      expect(await stored(other)).to.include({ price: 5, weight: '1.50', note: 'kept' });
      const shown = await row(other, 'nobody');
      expect((await stage.send('PUT', `crates/${other}/`, shown, { as: 'nobody' })).status).to.equal(200);
      expect(await stored(other)).to.include({ price: 5, note: 'kept' });
      await stage.send('PUT', `crates/${other}/`, { name: 'other', depot: 1, price: 5, keeper: 2 });
      expect(await stored(other)).to.include({ price: 5, note: 'none' });
      await stage.db('crates').where({ id: other }).update({ note: 'kept' });
    });

    it('are asked about the input where the row is made', async () => {
      const post = (body: unknown, as = 'nobody') => stage.send('POST', 'crates/', body, { as });
      expect((await post({ name: 'new', price: 0, note: 'none' })).status).to.equal(201);
      expect((await post({ name: 'new', price: 1 })).body).to.deep.equal({ detail: 'You may not set price.' });
      expect((await post({ name: 'new', keeper: 1 })).body).to.deep.equal({ detail: 'You may not set keeper.' });
      expect((await post({ name: 'new', price: 1, keeper: 1 }, 'admin')).body).to.include({ price: 1, keeper: 1 });
      const below = await stage.send('POST', 'depots/2/crates/', { name: 'low', note: 'x' }, { as: 'nobody' });
      expect(below.body).to.deep.equal({ detail: 'You may not set note.' });
      await stage.db('crates').where('id', '>', other).delete();
    });

    it('stand in OPTIONS: who may not write a field is offered none', async () => {
      const actions = async (path: string, as: string) =>
        (await stage.send('OPTIONS', path, undefined, { as })).body.actions;
      const [admin, nobody] = [await actions(`crates/${mine}/`, 'admin'), await actions(`crates/${mine}/`, 'nobody')];
      expect(admin.PUT).to.include.keys('price', 'note', 'keeper');
      expect(nobody.PUT).to.have.all.keys('name', 'depot', 'keeper');
      expect((await actions(`crates/${other}/`, 'nobody')).PUT).to.have.all.keys('name', 'depot');
      expect(nobody.GET).to.include.keys('price', 'note');
      expect([admin.GET.price.filterable, nobody.GET.price.filterable]).to.deep.equal([true, false]);
      expect((await actions('crates/', 'nobody')).POST).to.not.have.any.keys('price', 'note');
      expect((await actions('crates/', 'admin')).POST).to.include.keys('price', 'note');
      expect((await actions('depots/1/crates/', 'nobody')).POST).to.not.have.any.keys('price', 'note');
    });
  });

  it('stand in the description of the API: nobody may count on the field', async () => {
    const { schemas } = (await stage.get('openapi.json')).body.components;
    expect(schemas.crate.required).to.include('note').and.not.include('price');
  });
});

describe('rights on single fields that break', () => {
  const broken: Rule = {
    name: 'broken',
    row: () => (null as any).x,
    query: (_actor, builder) => void builder.whereRaw('nothing'),
  };

  it('leave the field out for everybody, and the rest is answered', async () => {
    const stage = await openStage([crate({ price: field.integer({ read: broken }) }), depot], { sql });
    await stage.db('crates').insert([{ name: 'one' }, { name: 'two' }]);
    for (const as of ['admin', 'nobody']) {
      const { status, body } = await stage.get('crates/', as);
      expect(status, as).to.equal(200);
      expect(body.results[1], as).to.include({ name: 'two' }).and.not.have.property('price');
    }
    await stage.close();
  });

  const cases: [string, Partial<Resource>, RegExp][] = [
    ['orders', { orderBy: ['-price'] }, /orderBy names price, which not everybody may read/],
    ['names in addresses', { naming: ['name', 'price'] }, /naming names price/],
    ['summaries', { summary: ['id', 'price'] }, /summary names price/],
    ['searches', { search: ['price'] }, /search names price/],
  ];
  for (const [what, more, message] of cases)
    it(`cannot be given away by ${what}`, async () => {
      const failure = await openStage([crate({}, more), depot], { sql }).then(
        (stage) => stage.close().then(() => 'it opened'),
        (error: Error) => error.message,
      );
      expect(failure).to.match(message);
    });
});

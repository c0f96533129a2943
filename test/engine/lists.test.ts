import { expect } from 'chai';
import { openStage, type Stage } from './stage.ts';
import { widgetResources, widgetSql } from './widgets.ts';

describe('Lists', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
    await stage.db('makers').insert([
      { name: 'Acme', country: 'DE' },
      { name: 'Bolt', country: 'FR' },
    ]);
    await stage.db('widgets').insert(
      Array.from({ length: 60 }, (_, index) => ({
        name: `w${String(index).padStart(2, '0')}`,
        size: index,
        maker_id: (index % 2) + 1,
      })),
    );
  });
  after(() => stage.close());

  it('answers count, next, previous and results in this order, 25 rows by default', async () => {
    const { status, body } = await stage.get('widgets/');
    expect(status).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(['count', 'next', 'previous', 'results']);
    expect(body).to.include({ count: 60, next: '/api/v2/widgets/?page=2', previous: null });
    expect(body.results).to.have.length(25);
  });

  it('links to its neighbours by paths with sorted parameters, repeated ones kept', async () => {
    const { body } = await stage.get('widgets/?search=w&or__id=1&page_size=1&page=1&or__id=2');
    expect(body.next).to.equal('/api/v2/widgets/?or__id=1&or__id=2&page=2&page_size=1&search=w');
    const second = await stage.get(body.next.replace('/api/v2/', ''));
    expect(second.body.previous).to.equal('/api/v2/widgets/?or__id=1&or__id=2&page=1&page_size=1&search=w');
    expect(second.body.next).to.equal(null);
  });

  for (const size of ['0', '-5', 'word', '', '1e3']) {
    it(`takes page_size=${size} for 25`, async () => {
      expect((await stage.get(`widgets/?page_size=${size}`)).body.results).to.have.length(25);
    });
  }

  it('cuts page_size to 200 and says so in its links', async () => {
    await stage.db('tags').insert(Array.from({ length: 201 }, (_, index) => ({ name: `t${index}` })));
    const { body } = await stage.get('tags/?page_size=99999');
    expect(body.results).to.have.length(200);
    expect(body.next).to.equal('/api/v2/tags/?page=2&page_size=200');
  });

  for (const page of ['0', '-1', 'word', '4', '99999999999999999999', '1.5', '']) {
    it(`answers 404 to page=${page}`, async () => {
      const { status, body } = await stage.get(`widgets/?page=${page}`);
      expect(status).to.equal(404);
      expect(body).to.deep.equal({ detail: 'Invalid page.' });
    });
  }

  it('finds the last page by name', async () => {
    const { body } = await stage.get('widgets/?page=last');
    expect(body.results).to.have.length(10);
    expect(body).to.include({ count: 60, next: null, previous: '/api/v2/widgets/?page=2' });
  });

  it('shows an empty first page, and no second', async () => {
    expect((await stage.get('widgets/?name=none')).body).to.deep.equal({
      count: 0,
      next: null,
      previous: null,
      results: [],
    });
    expect((await stage.get('widgets/?name=none&page=last')).status).to.equal(200);
    expect((await stage.get('widgets/?name=none&page=2')).status).to.equal(404);
  });

  it('leaves the count out where asked', async () => {
    expect(Object.keys((await stage.get('widgets/?count_disabled=1')).body)).to.deep.equal(['results']);
  });

  it('takes the last of repeated page parameters', async () => {
    expect((await stage.get('widgets/?page=9&page=2')).body.previous).to.equal('/api/v2/widgets/?page=1');
  });

  it('costs the same few statements at any page size', async () => {
    const small = await stage.statements(() => stage.get('widgets/?page_size=2'));
    const large = await stage.statements(() => stage.get('widgets/?page_size=50'));
    expect(small).to.equal(large);
    expect(large).to.be.at.most(3);
  });

  it('orders by several keys, down and up, over links too, and always the same way', async () => {
    const names = async (order: string) =>
      (await stage.get(`widgets/?page_size=3&${order}`)).body.results.map(({ name }: any) => name);
    expect(await names('order_by=-size')).to.deep.equal(['w59', 'w58', 'w57']);
    expect(await names('order=-name')).to.deep.equal(['w59', 'w58', 'w57']);
    expect(await names('order_by=-maker__name,-size')).to.deep.equal(['w59', 'w57', 'w55']);
    expect(await names('order_by=maker__country,name')).to.deep.equal(['w00', 'w02', 'w04']);
    expect(await names('order_by=enabled')).to.deep.equal(['w00', 'w01', 'w02']);
    expect(await names('order_by=type,id')).to.deep.equal(['w00', 'w01', 'w02']);
    expect(await names('order_by=,')).to.deep.equal(['w00', 'w01', 'w02']);
  });

  for (const [order, status] of [
    ['nosuch', 400],
    ['name__nosuch', 400],
    ['secret', 403],
    ['maker__nosuch', 400],
    ['tags__name', 400],
    ['loud', 400],
    ['name;drop', 400],
    ['-', 400],
    ['%00', 400],
    ['__proto__', 400],
  ] as const) {
    it(`refuses order_by=${order} with ${status}`, async () => {
      const answer = await stage.get(`widgets/?order_by=${order}`);
      expect(answer.status).to.equal(status);
      expect(answer.body.detail).to.be.a('string');
    });
  }

  it('searches every word in any search field, phrases whole, wildcards taken literally', async () => {
    const count = async (search: string) =>
      (await stage.get(`widgets/?search=${encodeURIComponent(search)}`)).body.count;
    await stage.db('widgets').insert({ name: 'Odd one', description: '100% wool, blue sky' });
    expect(await count('odd')).to.equal(1);
    expect(await count('ODD wool')).to.equal(1);
    expect(await count('odd,nowhere')).to.equal(0);
    expect(await count('"blue sky"')).to.equal(1);
    expect(await count('"sky blue"')).to.equal(0);
    expect(await count('100%')).to.equal(1);
    expect(await count('%')).to.equal(1);
    expect(await count('_')).to.equal(0);
    expect(await count('\\')).to.equal(0);
    expect(await count('')).to.equal(61);
    await stage.db('widgets').where('name', 'Odd one').delete();
  });
});

describe('Mixed lists', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
    await stage.db('things').insert([
      { kind: 'apple', name: 'a', extra: 'red' },
      { kind: 'pear', name: 'p' },
      { kind: 'stone', name: 's' },
      { kind: 'apple', name: 'b', hidden: true },
    ]);
  });
  after(() => stage.close());

  it('shows each row in the shape of its own type, in one order', async () => {
    const { body } = await stage.get('anythings/?order_by=-id');
    expect(body.count).to.equal(2);
    expect(body.results.map(({ type, url }: any) => [type, url])).to.deep.equal([
      ['big_pear', '/api/v2/pears/2/'],
      ['big_apple', '/api/v2/apples/1/'],
    ]);
    expect(body.results[0]).not.to.have.property('extra');
    expect(body.results[1].extra).to.equal('red');
  });

  it('picks types, and empties for a type that is not there', async () => {
    const count = async (query: string) => (await stage.get(`anythings/?${query}`)).body.count;
    expect(await count('type=big_apple')).to.equal(1);
    expect(await count('type=big_apple,big_pear')).to.equal(2);
    expect(await count('type=nosuch')).to.equal(0);
    expect((await stage.get('apples/?type=big_pear')).body.count).to.equal(0);
    expect((await stage.get('apples/?type=big_pear,big_apple')).body.count).to.equal(1);
  });

  it('reaches the fields of one type by its name', async () => {
    expect((await stage.get('anythings/?bigapple__extra=red')).body.count).to.equal(1);
    expect((await stage.get('anythings/?big_apple__extra=red')).body.count).to.equal(1);
    expect((await stage.get('anythings/?bigpear__extra=red')).status).to.equal(400);
  });

  it('has no detail, and a row of one type is none of another', async () => {
    expect((await stage.get('anythings/1/')).status).to.equal(404);
    expect((await stage.get('apples/1/')).status).to.equal(200);
    expect((await stage.get('pears/1/')).status).to.equal(404);
  });

  it('keeps out of lists what is not to be listed', async () => {
    expect((await stage.get('apples/')).body.count).to.equal(1);
    expect((await stage.get('apples/4/')).status).to.equal(200);
  });
});

import { expect } from 'chai';
import { openStage, type Stage } from './stage.ts';
import { widgetResources, widgetSql } from './widgets.ts';

const blank = 'This field may not be blank.';
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** field, what is sent, what is stored */
const accepted: [string, unknown, unknown][] = [
  ['name', '  padded ', 'padded'],
  ['name', 5, '5'],
  ['description', null, ''],
  ['description', '', ''],
  ['description', 1.5, '1.5'],
  ['note', null, null],
  ['note', '', ''],
  ['size', 5, 5],
  ['size', '7', 7],
  ['size', '7.0', 7],
  ['size', -3, -3],
  ['weight', '2.5', 2.5],
  ['weight', 1e10, 1e10],
  ['price', 3, '3.00'],
  ['price', '4.5', '4.50'],
  ['enabled', 'yes', true],
  ['enabled', 'off', false],
  ['enabled', 0, false],
  ['enabled', null, false],
  ['enabled', '', false],
  ['level', 1, 1],
  ['level', '1', 1],
  ['color', 'green', 'green'],
  ['made', '2026-01-02T03:04:05.123456+02:00', '2026-01-02T01:04:05.123456Z'],
  ['made', null, null],
  ['made', '', null],
  ['options', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  ['options', null, {}],
  ['parts', [1, 'x'], [1, 'x']],
  ['parts', null, []],
  ['variables', '{"a": 1}', '{"a": 1}'],
  ['variables', ' a: 1 # why\n', 'a: 1 # why'],
  ['variables', '', ''],
  ['variables', null, ''],
  ['variables', '---', '---'],
  ['variables', ':::', ':::'],
  ['variables', '# only a comment', '# only a comment'],
  ['maker', 1, 1],
  ['maker', '1', 1],
  ['maker', null, null],
  ['maker', '', null],
  ['code', 'changed', ''],
  ['big', true, false],
  ['id', 99, undefined],
  ['nosuch', 1, undefined],
  ['created', '2000-01-01', undefined],
  ['description', 'it\u{1f600}s', 'it\u{1f600}s'],
  ['description', "'; drop table widgets; --", "'; drop table widgets; --"],
];

/** field, what is sent, the complaint */
const refused: [string, unknown, string | RegExp][] = [
  ['name', '', blank],
  ['name', '   ', blank],
  ['name', null, 'This field cannot be blank.'],
  ['name', true, 'Not a valid string.'],
  ['name', ['a'], 'Not a valid string.'],
  ['name', {}, 'Not a valid string.'],
  ['name', 'x'.repeat(41), 'Ensure this field has no more than 40 characters.'],
  ['description', 'a\0b', 'Null characters are not allowed.'],
  ['description', 'a\ud800b', 'Unpaired surrogates are not allowed.'],
  ['note', { a: 1 }, 'Not a valid string.'],
  ['size', null, 'This field may not be null.'],
  ['size', 'x', 'A valid integer is required.'],
  ['size', '', 'A valid integer is required.'],
  ['size', 1.5, 'A valid integer is required.'],
  ['size', true, 'A valid integer is required.'],
  ['size', [], 'A valid integer is required.'],
  ['size', 1e300, /less than or equal to 1000000/],
  ['size', 2 ** 31, /less than or equal/],
  ['size', -(2 ** 40), /greater than or equal to -2147483647/],
  ['weight', 'x', 'A valid number is required.'],
  ['weight', -1, /greater than or equal to 0/],
  ['weight', {}, 'A valid number is required.'],
  ['price', 'free', 'A valid number is required.'],
  ['weight', null, 'This field may not be null.'],
  ['enabled', 'maybe', 'Must be a valid boolean.'],
  ['enabled', 2, 'Must be a valid boolean.'],
  ['enabled', [], 'Must be a valid boolean.'],
  ['level', 2, '"2" is not a valid choice.'],
  ['level', 'x', '"x" is not a valid choice.'],
  ['color', 'blue', '"blue" is not a valid choice.'],
  ['color', null, 'This field cannot be blank.'],
  ['color', { a: 1 }, /not a valid choice/],
  ['color', '', '"" is not a valid choice.'],
  ['made', 'yesterday', /Datetime has wrong format/],
  ['made', 5, /Datetime has wrong format/],
  ['made', '2026-02-30', /Datetime has wrong format/],
  ['options', 'text', 'Expected a dictionary of items but got type "str".'],
  ['options', [1], 'Expected a dictionary of items but got type "list".'],
  ['options', { a: 'x\0' }, /not allowed/],
  ['options', { 'k\ud800': 1 }, /not allowed/],
  ['parts', { a: 1 }, 'Expected a list of items but got type "dict".'],
  ['variables', '[1, 2]', /mapping/],
  ['variables', '- a\n- b', /Cannot parse as JSON .* or YAML/],
  ['variables', 'plain', /mapping/],
  ['variables', '{{', /Cannot parse/],
  ['variables', { a: 1 }, 'Not a valid string.'],
  ['variables', 5, 'Not a valid string.'],
  ['variables', '"text"', /mapping/],
  [
    'variables',
    `a: &a {x: 1}\n${Array.from(
      { length: 30 },
      (_, i) =>
        `b${i}: &b${i} [${Array(20)
          .fill(i ? `*b${i - 1}` : '*a')
          .join(', ')}]`,
    ).join('\n')}`,
    /YAML/,
  ],
  ['variables', '['.repeat(20000), /Cannot parse/],
  ['variables', 'a: b: c', /Cannot parse/],
  ['variables', 'x\0', 'Null characters are not allowed.'],
  ['maker', 99999, 'Invalid pk "99999" - object does not exist.'],
  ['maker', 'x', 'Incorrect type. Expected pk value, received str.'],
  ['maker', true, 'Incorrect type. Expected pk value, received bool.'],
  ['maker', [1], 'Incorrect type. Expected pk value, received list.'],
  ['maker', {}, 'Incorrect type. Expected pk value, received dict.'],
  ['maker', 1.5, 'Incorrect type. Expected pk value, received float.'],
  ['maker', 0, /Invalid pk/],
  ['maker', -1, /Invalid pk/],
  ['maker', 1e300, /Invalid pk/],
];

describe('Writes', () => {
  let stage: Stage;
  let id: number;
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
    await stage.db('makers').insert({ name: 'Acme' });
    id = (await stage.send('POST', 'widgets/', { name: 'first' })).body.id;
  });
  after(() => stage.close());

  for (const [field, value, stored] of accepted) {
    it(`${field} takes ${JSON.stringify(value)?.slice(0, 50)}`, async () => {
      const { status, body } = await stage.send('PATCH', `widgets/${id}/`, { [field]: value });
      expect(status, JSON.stringify(body)).to.equal(200);
      if (stored !== undefined) expect(body[field]).to.deep.equal(stored);
      expect((await stage.get(`widgets/${id}/`)).body).to.deep.equal(body);
      expect(body).to.include({ id });
    });
  }

  for (const [field, value, complaint] of refused) {
    it(`${field} refuses ${JSON.stringify(value)?.slice(0, 50)}`, async () => {
      const { status, body } = await stage.send('PATCH', `widgets/${id}/`, { [field]: value });
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(Object.keys(body)).to.deep.equal([field]);
      expect(body[field]).to.have.length(1);
      if (typeof complaint === 'string') expect(body[field][0]).to.equal(complaint);
      else expect(body[field][0]).to.match(complaint);
    });
  }

  it('collects the complaints of all fields', async () => {
    const { body } = await stage.send('POST', 'widgets/', { size: 'x', maker: 7 });
    expect(body).to.deep.equal({
      name: ['This field is required.'],
      size: ['A valid integer is required.'],
      maker: ['Invalid pk "7" - object does not exist.'],
    });
  });

  it('creates with defaults, authors and a Location', async () => {
    const { status, body, headers } = await stage.send('POST', 'widgets/', { name: 'new', maker: 1, code: 'c1' });
    expect(status).to.equal(201);
    expect(headers.get('location')).to.equal(body.url);
    expect(Object.keys(body).slice(0, 9)).to.deep.equal([
      'id',
      'type',
      'url',
      'related',
      'summary_fields',
      'created',
      'modified',
      'name',
      'description',
    ]);
    expect(body).to.include({
      type: 'widget',
      enabled: true,
      color: 'red',
      size: 0,
      description: '',
      code: 'c1',
      loud: 'NEW',
      made: null,
      note: null,
    });
    expect(body).not.to.have.any.keys('secret', 'created_by');
    expect(body.created).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/);
    expect(body.summary_fields.maker).to.deep.equal({ id: 1, name: 'Acme', country: '' });
    expect(body.summary_fields).not.to.have.property('spare');
    expect(body.summary_fields.created_by).to.include({ username: 'admin' });
    expect(body.related).to.include({
      maker: '/api/v2/makers/1/',
      tags: `${body.url}tags/`,
      paint: `${body.url}paint/`,
    });
    expect(body.related).not.to.have.any.keys('spare', 'quiet', 'totals');
  });

  it('PUT resets what is left out, PATCH touches only what is sent, secrets stay', async () => {
    const made = (
      await stage.send('POST', 'widgets/', {
        name: 'put',
        size: 5,
        description: 'd',
        maker: 1,
        secret: 's3',
        enabled: false,
        code: 'keep',
      })
    ).body;
    const patched = (await stage.send('PATCH', `widgets/${made.id}/`, { size: 6 })).body;
    expect(patched).to.include({ size: 6, description: 'd', maker: 1, enabled: false });
    expect((await stage.send('PUT', `widgets/${made.id}/`, { size: 7 })).body).to.deep.equal({
      name: ['This field is required.'],
    });
    const put = (await stage.send('PUT', `widgets/${made.id}/`, { name: 'put' })).body;
    expect(put).to.include({ name: 'put', size: 0, description: '', maker: null, enabled: true, code: 'keep' });
    expect((await stage.db('widgets').where('id', made.id).first()).secret).to.equal('s3');
    expect((await stage.send('PATCH', `widgets/${made.id}/`, {})).status).to.equal(200);
  });

  it('answers duplicates with "already exists" under the field, or under __all__ for several', async () => {
    await stage.send('POST', 'tags/', { name: 'once' });
    expect((await stage.send('POST', 'tags/', { name: 'once' })).body).to.deep.equal({
      name: ['Tag with this Name already exists.'],
    });
    await stage.send('POST', 'widgets/', { name: 'twice', code: 'k1' });
    expect((await stage.send('POST', 'widgets/', { name: 'twice' })).body).to.deep.equal({
      __all__: ['Widget with this Name and Maker already exists.'],
    });
    expect((await stage.send('POST', 'widgets/', { name: 'other', code: 'k1' })).body).to.deep.equal({
      code: ['Widget with this Code already exists.'],
    });
  });

  it('turns what only the database knows into a clear answer: checks, ranges, index sizes, links still in use', async () => {
    expect((await stage.send('PATCH', `widgets/${id}/`, { size: 666 })).status).to.equal(400);
    expect((await stage.send('PATCH', `widgets/${id}/`, { price: 1e7 })).status).to.equal(400);
    const big = Array.from({ length: 400_000 }, () => Math.random().toString(36)[2] ?? 'x').join('');
    const answer = await stage.send('POST', 'apples/', { name: 'fits', extra: big.slice(0, 500) });
    expect(answer.status).to.equal(201);
    await stage.send('PATCH', `widgets/${id}/`, { maker: 1 });
    const used = await stage.send('DELETE', 'makers/1/');
    expect(used.status).to.equal(409);
    expect(used.body.detail).to.match(/still used by widgets/);
  });

  it('shows every digit of a microsecond, the final zeros too', async () => {
    await stage.db('widgets').where('id', id).update({ created: '2026-01-02 03:04:05.12+00' });
    expect((await stage.get(`widgets/${id}/`)).body.created).to.equal('2026-01-02T03:04:05.120000Z');
    await stage.db('widgets').where('id', id).update({ created: '2026-01-02 03:04:05+00' });
    expect((await stage.get(`widgets/${id}/`)).body.created).to.equal('2026-01-02T03:04:05Z');
  });

  it('tries once more when another transaction was in the way', async () => {
    const other = await stage.db.transaction();
    await other('widgets').where('id', id).update({ size: 1 });
    const pending = stage.send('PATCH', `widgets/${id}/`, { size: 2 });
    await other.commit();
    expect((await pending).body.size).to.equal(2);
  });

  it('deletes, and knows nothing of it afterwards', async () => {
    const { body } = await stage.send('POST', 'tags/', { name: 'gone' });
    expect((await stage.send('DELETE', `tags/${body.id}/`)).status).to.equal(204);
    expect((await stage.get(`tags/${body.id}/`)).body).to.deep.equal({ detail: 'No Tag matches the given query.' });
    expect((await stage.send('DELETE', `tags/${body.id}/`)).status).to.equal(404);
  });

  it('keeps a row of a shared table with its own kind', async () => {
    const { body } = await stage.send('POST', 'pears/', { name: 'p', kind: 'apple' });
    expect(body.type).to.equal('big_pear');
    expect((await stage.db('things').where('id', body.id).first()).kind).to.equal('pear');
  });

  it('refuses bodies that are no JSON object', async () => {
    for (const body of [
      '[]',
      '1',
      '"x"',
      'null',
      '{',
      '{"a":}',
      '{"name": "a"}}',
      deep(1000),
      deep(50_000),
      '{"__proto__": {"name": "x"}}',
    ]) {
      const { status, body: answer } = await stage.send('POST', 'tags/', body);
      expect(status, body.slice(0, 30)).to.equal(400);
      expect(answer.detail, body.slice(0, 30)).to.match(/^JSON parse error/);
    }
  });
});

import { expect } from 'chai';
import { lookups } from '../../core/descriptors/read/filter-key.ts';
import { openStage, type Stage } from './stage.ts';
import { widgetResources, widgetSql } from './widgets.ts';

/** Which of the three rows (a, b, c) a filter finds. */
const found: Record<string, string> = {
  'name=a': 'a',
  'name__exact=b': 'b',
  'name__iexact=A': 'a',
  'name=A': '',
  'description__contains=50%25': 'b',
  'description__contains=50_': '',
  'description__icontains=ROUND': 'a',
  'description__startswith=A': 'a',
  'description__startswith=a': '',
  'description__istartswith=a': 'a',
  'description__endswith=thing': 'a',
  'description__iendswith=THING': 'a',
  'description__contains=%5C': 'c',
  'name__gt=a': 'bc',
  'name__in=a,c': 'ac',
  'name__in=a,': 'a',
  'name__isnull=false': 'abc',
  'name__isnull=true': '',
  'size=10': 'a',
  'size=%2B10': 'a',
  'size__int=10': 'a',
  'size__gt=10': 'bc',
  'size__gte=20': 'bc',
  'size__lt=20': 'a',
  'size__lte=20': 'ab',
  'size__in=10,30': 'ac',
  'size__contains=0': 'abc',
  'size__startswith=2': 'b',
  'weight=1.5': 'a',
  'weight__gt=1.5': 'bc',
  'weight__in=1.5,3': 'ac',
  'price=2.5': 'b',
  'price__gte=2.50': 'bc',
  'price__startswith=1.': 'a',
  'enabled=true': 'ab',
  'enabled=T': 'ab',
  'enabled=0': 'c',
  'enabled__in=true,false': 'abc',
  'enabled__isnull=0': 'abc',
  'level=1': 'b',
  'level__gte=0': 'abc',
  'color=green': 'b',
  'color__in=red,green': 'abc',
  'color__gt=red': 'b',
  'color__gte=red': 'abc',
  'color__lt=green': 'ac',
  'not__color__gt=red': 'ac',
  'made=2026-01-02T03:04:05Z': 'a',
  'made=2026-01-02T04:04:05%2B01:00': 'a',
  'made__gt=2026-01-02': 'ab',
  'made__lt=2026-06-01': 'a',
  'made__isnull=true': 'c',
  'made__in=2026-01-02T03:04:05Z,2020-01-01': 'a',
  'made__startswith=2026-01': 'a',
  'options__contains=blue': 'a',
  'parts__icontains=BOLT': 'b',
  'options={}': 'bc',
  'maker=1': 'a',
  'maker_id=1': 'a',
  'maker__id=1': 'a',
  'maker__pk=1': 'a',
  'maker__in=1,2': 'ab',
  'maker=null': 'c',
  'maker=None': 'c',
  'maker__isnull=true': 'c',
  'maker__isnull=false': 'ab',
  'not__maker=null': 'ab',
  'not__maker=1': 'bc',
  'maker__name=Acme': 'a',
  'maker__name__in=Acme,Bolt': 'ab',
  'maker__country__isnull=true': 'c',
  'not__maker__name=Acme': 'bc',
  'not__maker__country__isnull=true': 'ab',
  'maker__widgets__name=b': 'b',
  'maker__owner__username=admin': 'a',
  'maker__owner__isnull=true': 'bc',
  'tags=1': 'ab',
  'tags__id=1': 'ab',
  'tags__in=2,3': 'a',
  'tags__isnull=true': 'c',
  'tags__name=x': 'ab',
  'not__tags__name=x': 'c',
  'not__tags__name=y': 'bc',
  'tags__name__startswith=': 'ab',
  'tags__widgets__name=b': 'ab',
  'tags__name=x&tags__name=y': '',
  'chain__tags__name=x&chain__tags__name=y': 'a',
  'tags__name=y&tags__shade=dark': 'a',
  'tags__name=x&tags__shade=dark': '',
  'or__name=a&or__name=c': 'ac',
  'or__name=a&or__size=20&enabled=true': 'ab',
  'or__not__name=a&or__name=a': 'abc',
  'not__or__name=a&or__size=99': 'bc',
  'or__tags__name=y&or__maker=null': 'ac',
  'name__gt=a&name__gt=b': 'c',
  'not__name=a&not__name=b': 'c',
  'not__made=2026-01-02T03:04:05Z': 'bc',
  'not__made__isnull=true': 'ab',
  'not__enabled=true': 'c',
  'not__name__in=a,b': 'c',
  'big=true': '',
  'not__big=true': 'abc',
  'type=widget': 'abc',
  'type=widget,tag': 'abc',
  'type=tag': '',
  'maker__search=acme': 'a',
  'tags__search=x': 'ab',
  'tags__search=x,y': 'a',
  'maker__search=acme&tags__search=x': 'ab',
  'created_by__username=admin': 'abc',
  'created_by__username__icontains=ADM': 'abc',
  'modified_by__isnull=true': 'abc',
  'id__in=1,3': 'ac',
  'id=9999999999': '',
  'id=99999999999999999999999': '',
  'id__gt=99999999999999999999999': '',
  'id__lt=99999999999999999999999': 'abc',
  'id__gt=-99999999999999999999999': 'abc',
  'id__in=1,99999999999999999999999': 'a',
  'id=0': '',
  'maker=-5': '',
  'created__gt=2000-01-01': 'abc',
  'no_truncate=1&validate=1&include=x&host_filter=y&limit=1': 'abc',
};

const refused: Record<string, number> = {
  'nosuch=1': 400,
  'name__nosuch=1': 400,
  'maker__nosuch=1': 400,
  'maker__nosuch__name=1': 400,
  'name__name=1': 400,
  'tags__nosuch=1': 400,
  'name__regex=a': 400,
  'name__iregex=a': 400,
  'size=x': 400,
  'size=1.5': 400,
  'size=': 400,
  'size__in=': 400,
  'name__in=': 400,
  'size__in=1,x': 400,
  'size__in=1,': 400,
  'size__gt=x': 400,
  'size__iexact=1': 400,
  'color__gt=blue': 400,
  'color__lte=': 400,
  'size__isnull=maybe': 400,
  'weight=x': 400,
  'price=1,5': 400,
  'price=Infinity': 400,
  'price=NaN': 400,
  'enabled=yes': 400,
  'enabled=2': 400,
  'enabled__gt=true': 400,
  'made=yesterday': 400,
  'made=2026-13-01': 400,
  'made=2026-02-30': 400,
  'made__gt=': 400,
  'options__gt=1': 400,
  'maker=x': 400,
  'maker__contains=1': 400,
  'maker__gt=1': 400,
  'tags__contains=1': 400,
  'tags__gt=1': 400,
  'name__search=x': 400,
  'search__name=x': 400,
  'loud=x': 400,
  'related=1': 400,
  'summary_fields=1': 400,
  'secret=x': 403,
  'secret__icontains=x': 403,
  'not__secret=x': 403,
  'or__secret=x': 403,
  'created_by__password=x': 403,
  'maker__owner__password__startswith=$': 403,
  'name=%00': 400,
  'search=%00': 400,
  'na%00me=1': 400,
  'n%C3%A4me=1': 400,
  '__=1': 400,
  '__name=1': 400,
  'name__=1': 400,
  'not__=1': 400,
  'or__not=1': 400,
  '=1': 400,
  '__proto__=1': 400,
  'constructor=1': 400,
  'toString=1': 400,
  'hasOwnProperty__name=1': 400,
  'maker__widgets__maker__name=1': 400,
};

describe('Filters', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage(widgetResources, { sql: widgetSql });
    const { db } = stage;
    const { id: admin } = await db('users').where('username', 'admin').first('id');
    await db('makers').insert([
      { name: 'Acme', country: 'DE', owner_id: admin },
      { name: 'Bolt', country: 'FR' },
    ]);
    await db('tags').insert([
      { name: 'x', shade: '' },
      { name: 'y', shade: 'dark' },
      { name: 'z', shade: '' },
    ]);
    await db('widgets').insert([
      {
        name: 'a',
        description: 'A round thing',
        size: 10,
        weight: 1.5,
        price: 1.25,
        made: '2026-01-02T03:04:05Z',
        options: '{"paint": "blue"}',
        maker_id: 1,
        created_by_id: admin,
      },
      {
        name: 'b',
        description: '50% more',
        size: 20,
        weight: 2.25,
        price: 2.5,
        level: 1,
        color: 'green',
        made: '2026-07-01T00:00:00Z',
        parts: '["bolt"]',
        maker_id: 2,
        created_by_id: admin,
      },
      { name: 'c', description: 'back\\slash', size: 30, weight: 3, price: 10, enabled: false, created_by_id: admin },
    ]);
    await db('widget_tags').insert([
      { widget_id: 1, tag_id: 1 },
      { widget_id: 1, tag_id: 2 },
      { widget_id: 2, tag_id: 1 },
    ]);
  });
  after(() => stage.close());

  for (const [query, names] of Object.entries(found)) {
    it(`${query} finds ${names || 'nothing'}`, async () => {
      const { status, body } = await stage.get(`widgets/?${query}`);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.results.map(({ name }: any) => name).join('')).to.equal(names);
      expect(body.count).to.equal(names.length);
    });
  }

  for (const [query, expected] of Object.entries(refused)) {
    it(`${query} is ${expected}`, async () => {
      const { status, body } = await stage.get(`widgets/?${query}`);
      expect(status, JSON.stringify(body)).to.equal(expected);
      expect(Object.keys(body)).to.deep.equal(['detail']);
    });
  }

  it('names the secret field in the refusal', async () => {
    expect((await stage.get('users/?password=x')).body).to.deep.equal({
      detail: 'Filtering on password is not allowed.',
    });
  });

  describe('every lookup on every kind of field', () => {
    const values = [
      '1',
      'a',
      '',
      'true',
      '2026-01-01',
      'null',
      '-1',
      '1e400',
      '\u{10ffff}',
      "'; drop table widgets; --",
      '%',
      '\\',
      '99999999999999999999',
    ];
    for (const name of [
      'name',
      'size',
      'weight',
      'price',
      'enabled',
      'level',
      'color',
      'made',
      'options',
      'parts',
      'variables',
      'maker',
      'big',
      'tags',
      'maker__name',
      'tags__widgets__size',
      'id',
      'created',
    ]) {
      it(`${name}: 200 or 400, never worse`, async () => {
        const queries = ['', 'not__', 'or__', 'chain__'].flatMap((prefix) =>
          lookups.flatMap((lookup) =>
            values.map((value) => `${prefix}${name}__${lookup}=${encodeURIComponent(value)}`),
          ),
        );
        const statuses = new Set<number>();
        const batch = 20;
        for (let at = 0; at < queries.length; at += batch) {
          const answers = await Promise.all(
            queries.slice(at, at + batch).map(async (query) => ({ query, ...(await stage.get(`widgets/?${query}`)) })),
          );
          for (const { status, query, body } of answers) {
            expect([200, 400], `${query}: ${JSON.stringify(body)}`).to.include(status);
            statuses.add(status);
          }
        }
        expect([...statuses]).to.have.members([200, 400]);
      });
    }
  });

  it('holds for details: one that does not match is not there', async () => {
    expect((await stage.get('widgets/1/?name=a')).status).to.equal(200);
    expect((await stage.get('widgets/1/?name=b')).status).to.equal(404);
    expect((await stage.get('widgets/1/?nosuch=b')).status).to.equal(400);
    expect((await stage.get('widgets/1/?format=json')).status).to.equal(200);
  });

  it('does not let a caller probe related rows that it may not see', async () => {
    expect((await stage.get('widgets/?maker__name=Acme', 'nobody')).body.count).to.equal(0);
    expect((await stage.get('widgets/?maker__name=Acme', 'auditor')).body.count).to.equal(1);
  });

  it('limits the number of terms', async () => {
    expect((await stage.get(`widgets/?${'or__id=1&'.repeat(201)}`)).status).to.equal(400);
    expect((await stage.get(`widgets/?${'or__id=1&'.repeat(100)}`)).status).to.equal(200);
  });
});

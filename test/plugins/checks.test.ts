import { expect } from 'chai';
import fc from 'fast-check';
import { parseCronItem } from 'graphile-worker';
import { type Field, field } from '@tapline/plugin-sdk';
import { lateCalls } from '@tapline/plugin-sdk/checks';
import { defaultProblem } from '../../plugin-sdk/checks/field-default.ts';
import { isCronPattern } from '../../plugin-sdk/testing/cron-pattern.ts';

describe('the default of a field', () => {
  const choice = (value: unknown) => field.choice(['a', 'b'], { default: value });
  const fine: Field[] = [
    field.string(),
    field.string({ default: 'x' }),
    field.text({ default: '' }),
    field.integer({ default: 3, min: 1, max: 3 }),
    field.decimal({ default: '1.50' }),
    field.number({ default: 0.5 }),
    field.boolean({ default: false }),
    field.boolean({ default: null, nullable: true }),
    field.datetime({ default: null }),
    field.datetime({ default: '2026-01-31T12:00:00Z' }),
    field.json({ default: { a: 1 } }),
    field.list({ default: [] }),
    field.ref('host', { default: null }),
    choice('a'),
    field.choice([1, 2], { default: 2 }),
  ];
  for (const one of fine)
    it(`may be ${JSON.stringify(one.default)} of type ${one.type}`, () =>
      expect(defaultProblem(one)).to.equal(undefined));

  const wrong: [Field, RegExp][] = [
    [field.boolean({ default: 'perhaps' }), /must be true or false/],
    [field.boolean({ default: 'yes' }), /must be true or false/],
    [field.boolean({ default: null }), /must be true or false/],
    [field.integer({ default: 1.5 }), /must be a whole number/],
    [field.integer({ default: '1' }), /must be a whole number/],
    [field.integer({ default: 0, min: 1 }), /default 0 is below its min 1/],
    [field.string({ default: 'long', max: 3 }), /default "long" is beyond its max 3/],
    [field.string({ default: 7 }), /must be a text/],
    [field.decimal({ default: 'much' }), /must be a number/],
    [field.datetime({ default: 'soon' }), /must be a time/],
    [field.json({ default: [] }), /must be an object/],
    [field.list({ default: {} }), /must be a list/],
    [field.ref('host', { default: 'first' }), /must be the id of a record/],
    [choice('c'), /must be one of "a", "b"/],
    [field.choice([1, 2], { default: '1' }), /must be one of 1, 2/],
    [field.computed({ default: 1 }), /must be absent/],
  ];
  for (const [one, problem] of wrong)
    it(`cannot be ${JSON.stringify(one.default)} of type ${one.type}`, () =>
      expect(defaultProblem(one)).to.match(problem));
});

describe('the pattern of a clock', () => {
  const taken = (match: string) => {
    try {
      parseCronItem({ task: 'x', match });
      return true;
    } catch {
      return false;
    }
  };
  const number = fc.integer({ min: 0, max: 70 }).map(String);
  const part = fc.oneof(
    number,
    fc.tuple(number, number).map(([from, to]) => `${from}-${to}`),
    fc.integer({ min: 0, max: 5 }).map((step) => `*/${step}`),
    fc.constantFrom('*', '', '-', '1-2-3', '*/', 'a', '1/2', 'MON'),
  );
  const parts = fc.array(part, { minLength: 1, maxLength: 3 }).map((all) => all.join(','));
  const pattern = fc.array(parts, { minLength: 4, maxLength: 6 }).map((all) => all.join(' '));
  const likely = fc.tuple(...[59, 23, 31, 12, 7].map((max) => fc.integer({ min: 0, max }).map(String)));

  it('means the same to the kit as to the service', () => {
    const same = (match: string) => void expect(isCronPattern(match), match).to.equal(taken(match));
    for (const match of [
      '0 3 * * *',
      '*/5 * * * *',
      '0 0 1 1 7',
      '61 * * * *',
      'daily',
      '',
      ' 0 3 * * *',
      '0  3 * * *',
    ])
      same(match);
    fc.assert(fc.property(pattern, same), { numRuns: 1000 });
    fc.assert(
      fc.property(likely, (all) => same(all.join(' '))),
      { numRuns: 500 },
    );
  });
});

describe('contributions in what runs later', () => {
  const method = {
    register(api: any) {
      void api;
    },
  }.register;
  const found: [string, (api: never) => unknown, () => unknown, string[]][] = [
    [
      'by the name of the parameter',
      method,
      () => (globalThis as any).api?.log ?? ((api: any) => api.nav({})),
      ['api.nav'],
    ],
    [
      'of an arrow function',
      ((door: any) => door) as never,
      () => (door: any) => door.settings.define({}),
      ['api.settings.define'],
    ],
    ['services are none', method, () => (api: any) => [api.log.info({}), api.settings.get('X'), api.db('x')], []],
    [
      'another of that name is none',
      method,
      () => {
        const api: any = {};
        return api.route({});
      },
      [],
    ],
    ['taken apart there is no name', (({ nav }: any) => nav) as never, () => (api: any) => api.nav({}), []],
  ];
  for (const [what, register, later, calls] of found)
    it(what, () => expect(lateCalls(register, later)).to.deep.equal(calls));
});

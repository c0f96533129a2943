import type { Builder } from '@tapline/plugin-sdk';
import { expect } from 'chai';
import { inNameOf } from '../../core/plugins/door/in-name-of.ts';
import { blamedFor } from '../../core/observe/section.ts';

const restriction = (query: () => unknown) =>
  inNameOf('p', 'restrictions', {
    resource: 'host',
    restriction: { row: async () => true, query: query as () => void },
  }).restriction;
const sublist = (functions: object) =>
  inNameOf('p', 'extensions', {
    type: 'host',
    extension: { sublists: { things: { resource: 'thing', ...functions } } },
  }).extension.sublists!['things']!;

describe("the check of a plugin's setting", () => {
  const check = (fn: (value: unknown) => unknown) =>
    inNameOf('p', 'settings', { key: 'P_A', category: 'p', type: 'string', default: '', help: '', check: fn as never })
      .check! as (value: string) => string | undefined;

  it('says what is wrong with a value, or nothing', () => {
    expect(check(() => undefined)('a')).to.equal(undefined);
    expect(check((value) => `not ${String(value)}`)('a')).to.equal('not a');
  });

  it('that throws or answers anything else is told as the fault of the plugin', () => {
    const faults: [fn: () => unknown, told: RegExp][] = [
      [() => JSON.parse('{'), /JSON/],
      [() => null, /check of setting P_A must return at once/],
      [() => false, /must return at once/],
      [async () => undefined, /must return at once/],
      // nobody is left alone with the promise
      [() => Promise.reject(new Error('late')), /must return at once/],
    ];
    for (const [fn, told] of faults) {
      let thrown: unknown;
      try {
        check(fn)('a');
      } catch (error) {
        thrown = error;
      }
      expect((thrown as Error).message).to.match(told);
      expect(blamedFor(thrown)).to.deep.equal({ plugin: 'p', what: 'check of setting P_A' });
    }
  });
});

describe('what narrows a query in the name of a plugin', () => {
  it('may return the builder, which is not run', async () => {
    let runs = 0;
    // builders are thenable, too
    // oxlint-disable-next-line unicorn/no-thenable
    const builder: any = Object.defineProperty({}, 'then', { value: (done: () => void) => ((runs += 1), done()) });
    restriction(() => builder).query(null, builder, 't');
    sublist({ where: () => builder }).where!(builder, { id: 1 }, 't');
    await Promise.resolve();
    expect(runs).to.equal(0);
  });

  it('is refused where it would come later, in the name of the plugin', () => {
    const late = async () => {
      throw new Error('nobody hears of it');
    };
    for (const narrow of [
      () => restriction(() => late()).query(null, {} as Builder, 't'),
      () => sublist({ where: late }).where!({} as Builder, { id: 1 }, 't'),
      () => sublist({ prepare: late }).prepare!({} as never, { id: 1 }),
    ]) {
      let thrown: unknown;
      expect(() => {
        try {
          narrow();
        } catch (error) {
          throw (thrown = error);
        }
      }).to.throw('of plugin p returned a promise: it must be done when it returns');
      expect(blamedFor(thrown)).to.include({ plugin: 'p' });
    }
  });
});

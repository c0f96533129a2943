import type { Builder, Locks, RunKind } from '@tapline/plugin-sdk';
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

describe('what a kind of runs says of its runs and templates', () => {
  const fail = async () => {
    throw new Error('broken');
  };
  const descriptor: any = {
    path: 'made',
    label: 'Made',
    description: 'Made up.',
    fields: { colour: { type: 'computed', mode: 'ro', compute: fail } },
    validate: fail,
    summaries: fail,
    actions: { paint: { access: {}, handler: fail } },
    sublists: { parts: { resource: 'part', checkDetach: fail } },
  };
  const functions = ({
    fields,
    validate,
    summaries,
    actions,
    sublists,
  }: any): [() => Promise<unknown>, what: string][] => [
    [fields.colour.compute, 'field colour compute'],
    [validate, 'validate'],
    [summaries, 'summaries'],
    [actions.paint.handler, 'action paint handler'],
    [sublists.parts.checkDetach, 'sublist parts checkDetach'],
  ];

  it('is run in the name of its plugin', async () => {
    const kind: any = {
      kind: 'made_run',
      resource: descriptor,
      extends: { host: { actions: descriptor.actions } },
      advance: fail,
    };
    const run = inNameOf('p', 'runKinds', kind);
    const template = inNameOf('p', 'templateKinds', { type: 'made_template', resource: descriptor, launch: {} } as any);
    const all: [() => Promise<unknown>, what: string][] = [
      ...functions(run.resource).map(([fn, what]): [() => Promise<unknown>, string] => [fn, `made_run ${what}`]),
      ...functions(template.resource).map(([fn, what]): [() => Promise<unknown>, string] => [
        fn,
        `made_template ${what}`,
      ]),
      [run.extends!['host']!.actions!['paint']!.handler as never, 'extension of host action paint handler'],
      [run.advance as never, 'run kind made_run advance'],
    ];
    for (const [fn, what] of all) {
      const error = await fn().catch((thrown: unknown) => thrown);
      expect(blamedFor(error)).to.deep.equal({ plugin: 'p', what });
    }
  });
});

describe("the plans of a plugin's kind of runs", () => {
  const planning = (holds: unknown[], waitsFor: unknown[] = []) => {
    const plan = async () => ({ columns: {}, locks: { holds, waitsFor } as Locks });
    const kind = { kind: 'sample_run', plan, split: () => ({ columns: {}, locks: { holds, waitsFor } }), resource: {} };
    return inNameOf('p', 'runKinds', kind as unknown as RunKind);
  };

  it('lock by keys of their own and by those that core holds for templates', async () => {
    const { locks } = await planning(['sample:1', 'inventory:2'], ['runs']).plan({} as never);
    expect(locks).to.deep.equal({ holds: ['sample:1', 'inventory:2'], waitsFor: ['runs'] });
  });

  it('do not lock by keys whose end would move runs of others on', async () => {
    for (const key of ['run:1', 'run:x', 'answer', '', null, 7])
      for (const kind of [planning(['sample:1', key]), planning([], [key])])
        for (const plan of [async () => kind.plan({} as never), async () => kind.split!({} as never, {} as never)]) {
          const error = await plan().then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          expect((error as Error).message).to.contain(`run kind sample_run: its plan locks by ${JSON.stringify(key)}`);
          expect(blamedFor(error)!.plugin).to.equal('p');
        }
  });
});

import { expect } from 'chai';
import type { BeforeStartOptions, Launch } from '@tapline/plugin-sdk';
import { fakeRun, fakeTemplate } from '@tapline/plugin-sdk/testing';
import { explained } from '../../core/hooks/explanation.ts';
import type { TapRecord } from '../../core/hooks/guard.ts';
import { createHooks, type LaunchFacts } from '../../core/hooks/hooks.ts';
import { spansBy } from '../../core/hooks/spans.ts';
import { until } from '../support/until.ts';

/** Beyond what a busy machine takes from a tap that answers at once, which would be late as well. */
const limitMs = 200;
const never = () => new Promise<never>(() => undefined);
/** Longer than a tap of these tests may take, so that no timer gets its turn. */
const block = () => {
  for (const end = performance.now() + 2 * limitMs; performance.now() < end;);
};
const denial = { status: 403, body: { detail: 'no' } };

const facts = (): LaunchFacts => ({
  run: fakeRun({ limit: 'web', artifacts: { list: [1, 2] } }),
  template: fakeTemplate({ id: 2 }),
  uses: { organization: null, inventory: null, project: null, credentials: [] },
  actor: null,
  authority: null,
  origin: { kind: 'api', id: null, client_ip: null },
  given: {},
});

function make() {
  const records: TapRecord[] = [];
  const warnings: string[] = [];
  const hooks = createHooks({
    log: { warn: (_fields, text) => void warnings.push(text) },
    observe: (record) => void records.push(record),
  });
  return { hooks, records, warnings };
}

const options = (more: Partial<BeforeStartOptions> = {}): BeforeStartOptions => ({
  name: 'p:check',
  failMode: 'deny',
  timeoutMs: limitMs,
  ...more,
});

describe('hooks', () => {
  describe('beforeStart', () => {
    it('runs taps by stage, then in the order they came', async () => {
      const { hooks } = make();
      const seen: string[] = [];
      const tap = (name: string, stage?: number) =>
        hooks.beforeStart(
          { name, failMode: 'allow', ...(stage === undefined ? {} : { stage }) },
          () => void seen.push(name),
        );
      tap('default');
      tap('scan', 300);
      tap('quota', 100);
      tap('policy', 200);
      tap('late');
      expect(await hooks.decideLaunch(facts())).to.deep.equal({ refusal: undefined, lines: [] });
      expect(seen).to.deep.equal(['quota', 'policy', 'scan', 'default', 'late']);
      expect(hooks.list()[0]!.taps.map(({ name }) => name)).to.deep.equal(seen);
    });

    it('ends the series at the first denial', async () => {
      const { hooks } = make();
      let scanned = false;
      hooks.beforeStart({ name: 'policy', stage: 200, failMode: 'allow' }, async () => denial);
      hooks.beforeStart({ name: 'scan', stage: 300, failMode: 'allow' }, () => void (scanned = true));
      expect((await hooks.decideLaunch(facts())).refusal).to.deep.equal({ denial, tap: 'core:policy' });
      expect(scanned).to.equal(false);
    });

    it('goes on after nothing: undefined and null', async () => {
      const { hooks } = make();
      for (const [index, value] of [undefined, null].entries())
        hooks.beforeStart(options({ name: `quiet-${index}` }), () => value);
      expect(await hooks.decideLaunch(facts())).to.deep.equal({ refusal: undefined, lines: [] });
    });

    const cyclic: Record<string, unknown> = {};
    cyclic['self'] = cyclic;
    const trap = new Proxy(
      {},
      {
        get: (_, key) => {
          if (key === 'then') return undefined;
          throw new Error('trap');
        },
      },
    );
    const failing: Record<string, () => unknown> = {
      throws: () => {
        throw new Error('broken');
      },
      rejects: async () => {
        throw new Error('broken');
      },
      'throws null': () => {
        throw null;
      },
      'rejects with undefined': () => Promise.reject(),
      'is too late': never,
      'answers late because it blocked': block,
      'denies late because it blocked': () => (block(), denial),
      'throws late because it blocked': () => {
        block();
        throw new Error('broken');
      },
      'returns true': () => true,
      'returns a text': () => 'no',
      'returns 0': () => 0,
      'returns an empty object': () => ({}),
      'returns status 200': () => ({ status: 200, body: { detail: 'no' } }),
      'returns status 500': () => ({ status: 500, body: { detail: 'no' } }),
      'returns no body': () => ({ status: 403 }),
      'returns a list for a body': () => ({ status: 403, body: ['no'] }),
      'returns a cyclic body': () => ({ status: 403, body: cyclic }),
      'returns a body that cannot be written': () => ({ status: 403, body: { n: 1n } }),
      'returns a huge body': () => ({ status: 403, body: { detail: 'x'.repeat(1_000_000) } }),
      'returns an object that throws when read': () => trap,
      'returns a thenable that throws': () => ({
        // a thenable is exactly what is tried here
        // oxlint-disable-next-line no-thenable
        then() {
          throw new Error('then');
        },
      }),
    };
    for (const [how, tap] of Object.entries(failing)) {
      it(`goes by the fail mode of a tap that ${how}`, async () => {
        const open = make();
        open.hooks.beforeStart(options({ failMode: 'allow' }), tap);
        const allowed = await open.hooks.decideLaunch(facts());
        expect(allowed.refusal).to.equal(undefined);
        expect(allowed.lines.join()).to.contain('p:check').and.to.contain('allowed by its fail mode');
        const closed = make();
        closed.hooks.beforeStart(options(), tap);
        const refused = await closed.hooks.decideLaunch(facts());
        expect(refused.refusal).to.nested.include({ tap: 'p:check', 'denial.status': 403 });
        expect(refused.refusal!.denial.body['detail']).to.contain('p:check').and.to.contain('refused by its fail mode');
        expect(closed.records[0]!.result).to.be.oneOf(['threw', 'timed out', 'invalid']);
        expect(closed.records[0]!.error).to.be.instanceOf(Error);
      });
    }

    it('tells of a tap that blocked beyond its time as timed out, and aborts its signal', async () => {
      const { hooks, records } = make();
      let signal: AbortSignal | undefined;
      hooks.beforeStart(options({ failMode: 'allow' }), (launch) => {
        ({ signal } = launch);
        block();
        return denial;
      });
      const { refusal, lines } = await hooks.decideLaunch(facts());
      expect(refusal).to.equal(undefined);
      expect(lines).to.deep.equal(['p:check was too late; launch allowed by its fail mode.']);
      expect(records.map(({ result }) => result)).to.deep.equal(['timed out']);
      expect(signal!.aborted).to.equal(true);
    });

    it('gives each tap a frozen payload: what one tries to change, no other and no caller sees', async () => {
      const { hooks } = make();
      const given = facts();
      hooks.beforeStart(options({ name: 'p:vandal', failMode: 'allow' }), (launch: any) => {
        for (const change of [
          () => (launch.run.limit = 'all'),
          () => launch.run.artifacts.list.push(3),
          () => (launch.explain = () => undefined),
          () => delete launch.origin.kind,
        ])
          expect(change).to.throw(TypeError);
      });
      let seen: Launch | undefined;
      hooks.beforeStart(options({ name: 'p:reader' }), (launch) => void (seen = launch));
      expect((await hooks.decideLaunch(given)).lines).to.deep.equal([]);
      expect(seen).to.deep.include(facts());
      expect(given).to.deep.equal(facts());
      expect(Object.isFrozen(given.run)).to.equal(false);
    });

    it('aborts the signal of a tap that is too late, and drops what it explains then', async () => {
      const { hooks, warnings } = make();
      let late: Launch | undefined;
      hooks.beforeStart(options({ failMode: 'allow' }), (launch) => {
        late = launch;
        launch.explain('in time');
        return never();
      });
      const { lines } = await hooks.decideLaunch(facts());
      expect(late!.signal.aborted).to.equal(true);
      late!.explain('too late');
      late!.explain('too late again');
      expect(lines).to.deep.equal(['in time', 'p:check was too late; launch allowed by its fail mode.']);
      expect(warnings.filter((text) => text.includes('explain after its end'))).to.have.length(1);
    });

    it('leaves no room of others to a tap that explains without end', async () => {
      const { hooks } = make();
      hooks.beforeStart(options({ name: 'p:flood' }), ({ explain }) => {
        for (let line = 0; line < 10_000; line += 1) explain(`line ${line}`);
      });
      hooks.beforeStart(options({ name: 'p:long' }), ({ explain }) => explain('x'.repeat(1_000_000)));
      hooks.beforeStart(options({ name: 'p:odd' }), ({ explain }) => {
        explain(Symbol('odd') as never);
        explain({ toString: () => Promise.reject() } as never);
        explain({ toString: null } as never);
      });
      hooks.beforeStart(options({ name: 'p:brief' }), ({ explain }) => explain('a word of warning'));
      const { lines } = await hooks.decideLaunch(facts());
      expect(lines).to.include('p:flood: 9980 more lines left out.').and.to.include('a word of warning');
      expect(lines.join('\n').length).to.be.below(4096);
    });
  });

  describe('explain', () => {
    const cutTo = async (before: string, ...taps: ((launch: Launch) => void)[]) => {
      const { hooks } = make();
      for (const [index, tap] of taps.entries())
        hooks.beforeStart(options({ name: `p:tap-${index}`, failMode: 'allow' }), tap);
      return explained(before, await hooks.decideLaunch(facts()));
    };

    it('cuts the whole explanation where a tap wants it: what was there, what it says, and what later ones say', async () => {
      const long = 'x'.repeat(600);
      const text = await cutTo(
        'from before',
        ({ explain }) => explain(long),
        ({ explain }) => explain(`Scan warnings: ${long}`, { cut: 1024 }),
        ({ explain }) => explain('said afterwards'),
      );
      expect(text).to.equal(`from before\n${long}\nScan warnings: ${long}\nsaid afterwards`.slice(0, 1024));
      expect(text).to.have.length(1024);
    });

    it('leaves alone what is short enough, and takes the smallest of several wishes', async () => {
      expect(await cutTo('', ({ explain }) => explain('short', { cut: 5 }))).to.equal('short');
      const wishes = [8, 4, 6].map(
        (cut) =>
          ({ explain }: Launch) =>
            explain('abc', { cut }),
      );
      expect(await cutTo('', ...wishes)).to.equal('abc\n');
    });

    it('cuts no character in half', async () => {
      expect(await cutTo('', ({ explain }) => explain('🔒🔒🔒', { cut: 2 }))).to.equal('🔒🔒');
    });

    it('takes a cut that is none for a failure of the tap', async () => {
      for (const cut of [0, -1, 1.5, Number.NaN, 16_385, '1024'])
        expect(await cutTo('', ({ explain }) => explain('said', { cut: cut as number }))).to.equal(
          'p:tap-0 failed; launch allowed by its fail mode.',
        );
    });
  });

  describe('options', () => {
    for (const [what, change, message] of [
      ['no fail mode', { failMode: undefined }, /failMode must be/],
      ['an unknown fail mode', { failMode: 'maybe' }, /failMode must be/],
      ['a time beyond what a timer takes', { timeoutMs: 2 ** 31 }, /timeoutMs must be/],
      ['no time', { timeoutMs: 0 }, /timeoutMs must be/],
      ['a stage that is no number', { stage: 'first' }, /stage must be/],
      ['an odd name', { name: 'p:Not This' }, /name must be kebab-case/],
    ] as const) {
      it(`refuses ${what}`, () => {
        expect(() => make().hooks.beforeStart(options(change as never), () => undefined)).to.throw(message);
      });
    }

    it('refuses what is no function, and a name that is taken', () => {
      const { hooks } = make();
      expect(() => hooks.beforeStart(options(), 'tap' as never)).to.throw(/must be the function/);
      hooks.on('afterFinish', { name: 'p:x' }, () => undefined);
      expect(() => hooks.on('onStatusChange', { name: 'p:x' }, () => undefined)).to.throw(/exists already/);
      hooks.on('onStatusChange', { name: 'q:x' }, () => undefined);
    });

    it('counts taps that are awake, and those that cannot tell', () => {
      const { hooks } = make();
      let asleep = true;
      hooks.beforeStart(options({ asleep: () => asleep }), () => undefined);
      expect(hooks.decidesLaunches()).to.equal(false);
      asleep = false;
      expect(hooks.decidesLaunches()).to.equal(true);
      const broken = make().hooks;
      broken.beforeStart(options({ asleep: () => JSON.parse('{') }), () => undefined);
      expect(broken.decidesLaunches()).to.equal(true);
      expect(() => hooks.beforeStart(options({ name: 'p:no', asleep: true as never }), () => undefined)).to.throw(
        /asleep/,
      );
    });

    it('counts an interceptor alone as no tap', () => {
      const { hooks } = make();
      hooks.intercept({ call: () => undefined });
      expect(hooks.decidesLaunches()).to.equal(false);
    });
  });

  describe('queued taps', () => {
    it('are told of the changes of status that they want', () => {
      const { hooks } = make();
      hooks.on('onStatusChange', { name: 'p:all' }, () => undefined);
      hooks.on('onStatusChange', { name: 'p:ends', kinds: ['job'], to: ['successful', 'failed'] }, () => undefined);
      hooks.on('onStatusChange', { name: 'p:workflows', kinds: ['workflow_job'] }, () => undefined);
      const told = (kind: string, to: string) =>
        hooks.tapsOf('onStatusChange', { run_id: 1, kind, template_id: null, seq: 1, from: 'running', to, at: '' });
      expect(told('job', 'failed')).to.deep.equal(['p:all', 'p:ends']);
      expect(told('job', 'running')).to.deep.equal(['p:all']);
      expect(told('workflow_job', 'failed')).to.deep.equal(['p:all', 'p:workflows']);
    });

    it('are told of nothing while they are asleep', () => {
      const { hooks } = make();
      let asleep = true;
      hooks.on('onStatusChange', { name: 'p:sleeper', asleep: () => asleep }, () => undefined);
      hooks.on('onFactsUpdated', { name: 'p:other', asleep: () => asleep }, () => undefined);
      const told = () => [
        ...hooks.tapsOf('onStatusChange', {
          run_id: 1,
          kind: 'job',
          template_id: null,
          seq: 1,
          from: 'running',
          to: 'failed',
          at: '',
        }),
        ...hooks.tapsOf('onFactsUpdated', { run_id: 1, hosts: [] }),
      ];
      expect(told()).to.deep.equal([]);
      asleep = false;
      expect(told()).to.deep.equal(['p:sleeper', 'p:other']);
    });

    it('run one alone, with a frozen payload, and their failure is thrown', async () => {
      const { hooks, records, warnings } = make();
      const seen: unknown[] = [];
      hooks.on('onStatusChange', { name: 'p:good' }, (change, { attempt }) => void seen.push([change, attempt]));
      hooks.on('onStatusChange', { name: 'p:bad' }, () => {
        throw new Error('broken');
      });
      hooks.on('onStatusChange', { name: 'p:vandal' }, (change) => void (change.to = 'failed'));
      hooks.on('onStatusChange', { name: 'p:slow', timeoutMs: limitMs }, never);
      await hooks.runTap('p:good', { run_id: 1, to: 'running' }, { attempt: 2 });
      expect(seen).to.deep.equal([[{ run_id: 1, to: 'running' }, 2]]);
      const failure = (label: string) =>
        hooks.runTap(label, { run_id: 1, to: 'running' }).then(
          () => 'nothing',
          (error: Error) => error.message,
        );
      expect(await failure('p:bad')).to.equal('broken');
      expect(await failure('p:vandal')).to.contain('read only');
      expect(await failure('p:slow')).to.contain('no answer within 200 ms');
      expect(await failure('p:gone')).to.contain('no tap p:gone');
      expect(records.map(({ tap, run, attempt, result }) => [tap, run, attempt, result])).to.deep.equal([
        ['good', 1, 2, 'ok'],
        ['bad', 1, 1, 'threw'],
        ['vandal', 1, 1, 'threw'],
        ['slow', 1, 1, 'timed out'],
      ]);
      expect(warnings, 'the queue tells of each failed try').to.deep.equal([]);
    });

    it('give up at once when the service stops, and tell the tap', async () => {
      const { hooks } = make();
      let told = false;
      hooks.on('afterFinish', { name: 'p:slow' }, (_, { signal }) => {
        signal.addEventListener('abort', () => (told = true));
        return never();
      });
      const stop = new AbortController();
      const outcome = hooks.runTap('p:slow', { run: { id: 1 } }, { attempt: 1, signal: stop.signal }).then(
        () => 'done',
        (error: Error) => error.message,
      );
      stop.abort();
      expect(await outcome).to.contain('the service stops');
      expect(told).to.equal(true);
    });
  });

  it('passes every tap through the register interceptors, whenever they came', async () => {
    const { hooks } = make();
    const spans: string[] = [];
    const spanning = (label: string) => ({
      register: (tap: any) => ({
        ...tap,
        fn: async (...given: unknown[]) => {
          spans.push(`${label} begin ${tap.name}`);
          try {
            return await tap.fn(...given);
          } finally {
            spans.push(`${label} end ${tap.name}`);
          }
        },
      }),
    });
    hooks.beforeStart(options({ name: 'p:before' }), () => undefined);
    hooks.on('afterFinish', { name: 'p:after' }, () => undefined);
    hooks.intercept(spanning('a'));
    hooks.beforeStart(options({ name: 'p:denies' }), () => denial);
    hooks.on('afterFinish', { name: 'p:later' }, () => undefined);
    expect((await hooks.decideLaunch(facts())).refusal).to.deep.equal({ denial, tap: 'p:denies' });
    await hooks.runTap('p:after', { run: { id: 1 } });
    await hooks.runTap('p:later', { run: { id: 1 } });
    await until(() => spans.length === 8);
    expect(spans).to.deep.equal(
      ['p:before', 'p:denies', 'p:after', 'p:later'].flatMap((name) => [`a begin ${name}`, `a end ${name}`]),
    );
  });

  it('puts spans around taps, and goes on where the tracer throws, hangs or forgets the work', async () => {
    const spans: string[] = [];
    const tracers: Record<string, (name: string, work: any) => any> = {
      good: async (name, work) => (spans.push(name), work({ set: () => undefined })),
      throws: () => {
        throw new Error('tracer');
      },
      rejects: async () => Promise.reject(new Error('tracer')),
      hangs: never,
      forgets: async () => undefined,
    };
    for (const span of Object.values(tracers)) {
      const { hooks } = make();
      let ran = 0;
      hooks.beforeStart(options(), () => ((ran += 1), denial));
      hooks.intercept(spansBy({ span }, { warn: () => undefined }));
      expect((await hooks.decideLaunch(facts())).refusal).to.deep.equal({ denial, tap: 'p:check' });
      expect(ran).to.equal(1);
    }
    expect(spans).to.deep.equal(['hook tap p:check']);
  });
});

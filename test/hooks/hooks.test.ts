import { expect } from 'chai';
import type { Launch } from '@tapline/plugin-sdk';
import { createHooks } from '../../core/hooks/hooks.ts';

const never = () => new Promise<never>(() => undefined);

describe('hooks', () => {
  const make = () => createHooks({ log: { warn: () => undefined } });
  const launch = (lines: string[] = []): Launch => ({
    run: { id: 1 },
    template: null,
    actor: null,
    authority: null,
    origin: { kind: 'api', id: null, client_ip: null },
    explain: (text) => void lines.push(text),
  });
  const denial = { status: 403, body: { detail: 'no' } };

  it('runs beforeStart taps by stage, then in the order they came', async () => {
    const hooks = make();
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
    expect(await hooks.decideLaunch(launch())).to.equal(undefined);
    expect(seen).to.deep.equal(['quota', 'policy', 'scan', 'default', 'late']);
  });

  it('ends the series at the first denial', async () => {
    const hooks = make();
    let scanned = false;
    hooks.beforeStart({ name: 'policy', stage: 200, failMode: 'allow' }, async () => denial);
    hooks.beforeStart({ name: 'scan', stage: 300, failMode: 'allow' }, () => void (scanned = true));
    expect(await hooks.decideLaunch(launch())).to.deep.equal(denial);
    expect(scanned).to.equal(false);
  });

  it('takes nothing but a denial for an end: null, true and texts go on', async () => {
    const hooks = make();
    for (const [index, value] of [null, true, 'no', 0, {}].entries())
      hooks.beforeStart({ name: `odd ${index}`, failMode: 'deny' }, () => value);
    expect(await hooks.decideLaunch(launch())).to.equal(undefined);
  });

  for (const [how, tap] of [
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('broken');
      },
    ],
    [
      'throws nothing',
      () => {
        throw undefined;
      },
    ],
    ['is too late', never],
  ] as const) {
    it(`goes by the fail mode of a tap that ${how}`, async () => {
      const open = make();
      const lines: string[] = [];
      open.beforeStart({ name: 'scan', failMode: 'allow', timeoutMs: 20 }, tap);
      expect(await open.decideLaunch(launch(lines))).to.equal(undefined);
      expect(lines[0]).to.contain('scan').and.to.contain('allowed by its fail mode');
      const closed = make();
      closed.beforeStart({ name: 'scan', failMode: 'deny', timeoutMs: 20 }, tap);
      expect(await closed.decideLaunch(launch())).to.include({ status: 403 });
    });
  }

  it('demands a fail mode and unique names', () => {
    expect(() => make().beforeStart({ name: 'x' } as never, () => undefined)).to.throw(/failMode/);
    const hooks = make();
    hooks.on('afterFinish', { name: 'x' }, () => undefined);
    expect(() => hooks.on('afterFinish', { name: 'x' }, () => undefined)).to.throw(/exists already/);
  });

  it('runs one queued tap alone, under the interceptors, and reports its failure', async () => {
    const records: object[] = [];
    const hooks = createHooks({
      log: { warn: () => undefined },
      observe: ({ hook, tap, result }) => void records.push({ hook, tap, result }),
    });
    const seen: unknown[] = [];
    const called: unknown[] = [];
    hooks.intercept({ call: (payload: unknown) => void called.push(payload) });
    hooks.on('onStatusChange', { name: 'good' }, (change) => void seen.push(change));
    hooks.on('onStatusChange', { name: 'bad' }, () => {
      throw new Error('broken');
    });
    hooks.on('onStatusChange', { name: 'slow', timeoutMs: 20 }, never);
    await hooks.runTap('onStatusChange', 'good', { run_id: 1 });
    expect(seen).to.deep.equal([{ run_id: 1 }]);
    expect(called).to.deep.equal([{ run_id: 1 }]);
    const failure = async (name: string) =>
      hooks.runTap('onStatusChange', name, {}).then(
        () => 'nothing',
        (error: Error) => error.message,
      );
    expect(await failure('bad')).to.equal('broken');
    expect(await failure('slow')).to.contain('timed out');
    expect(records.map((record: any) => record.result)).to.deep.equal(['ok', 'threw', 'timed out']);
    await hooks.runTap('onStatusChange', 'gone', {});
  });

  it('counts an interceptor alone as no tap', () => {
    const hooks = make();
    hooks.intercept({ call: () => undefined });
    expect(hooks.decidesLaunches()).to.equal(false);
  });
});

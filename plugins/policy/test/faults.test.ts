import { expect } from 'chai';
import { describeWith } from '../../../test/support/needs.ts';
import { unavailable } from '../judge.ts';
import { faults, type FaultyEngine, startFaultyEngine } from './faulty-engine.ts';
import { type PolicyStage, startPolicyStage } from './stage.ts';

describeWith(['opa'], 'policies of an engine that', function () {
  this.timeout(300_000);
  let stage: PolicyStage;
  let engine: FaultyEngine;

  before(async () => {
    stage = await startPolicyStage();
    await stage.enforce('enforce');
    engine = await startFaultyEngine(stage.opa.url);
  });
  after(async () => {
    await stage?.stop();
    await engine?.stop();
  });
  afterEach(async () => {
    const { results } = (await stage.admin.get('policies/')).body;
    for (const { url } of results) await stage.admin.patch(url, { enabled: false });
    await stage.set({ POLICY_ENGINE_SERVER_URL: stage.opa.url, POLICY_ENGINE_FAIL_MODE: 'allow' });
  });

  for (const [what, fault] of Object.entries(faults))
    it(`${what}, follow the fail mode and what they may do`, async () => {
      const policy = await stage.echo();
      await stage.set({ POLICY_ENGINE_SERVER_URL: engine.url, POLICY_ENGINE_EVALUATION_TIMEOUT_MS: 300 });
      engine.fault = fault;
      try {
        for (const [enforcement, mode, status] of [
          ['warn', 'allow', 201],
          ['warn', 'deny', 201],
          ['enforce', 'allow', 201],
          ['enforce', 'deny', 403],
        ] as const) {
          await stage.admin.patch(policy.url, { enforcement });
          await stage.set({ POLICY_ENGINE_FAIL_MODE: mode });
          const answer = await stage.launch({ result: { deny: ['d'] } });
          expect(answer.status, `${enforcement}, ${mode}`).to.equal(status);
          const message = unavailable[status === 403 ? 'deny' : 'allow'];
          expect(status === 403 ? answer.body.reasons : [answer.body.job_explanation]).to.deep.equal([
            status === 403 ? message : `Policy warnings: ${message}`,
          ]);
        }
      } finally {
        await stage.set({ POLICY_ENGINE_EVALUATION_TIMEOUT_MS: 2000 });
      }
    });

  it('is kept busy by a policy, follow the fail mode too', async () => {
    const slow = `package slow\n\ndeny contains "late" if {\n  some a in numbers.range(1, 4000)\n  some b in numbers.range(1, 4000)\n  a * b == -1\n}\n`;
    await stage.make('policies/', { name: 'slow', rego_module: slow, enforcement: 'enforce' });
    await stage.set({ POLICY_ENGINE_EVALUATION_TIMEOUT_MS: 200, POLICY_ENGINE_FAIL_MODE: 'deny' });
    try {
      expect((await stage.launch()).body.reasons).to.deep.equal([unavailable.deny]);
    } finally {
      await stage.set({ POLICY_ENGINE_EVALUATION_TIMEOUT_MS: 2000 });
    }
  });
});

import { expect } from 'chai';
import { alone, command, openWays, waiting, type Ways } from '../../../test/launch/ways.ts';
import { describeWith } from '../../../test/support/needs.ts';
import policy from '../index.ts';
import { type Opa, startOpa } from './opa.ts';

describeWith(['opa'], 'policies on each way to launch', function () {
  this.timeout(300_000);
  let ways: Ways;
  let opa: Opa;

  before(async () => {
    opa = await startOpa();
    ways = await openWays([policy]);
    const { stage } = ways;
    const settings = { POLICY_ENGINE_ENABLED: true, POLICY_ENGINE_SERVER_URL: opa.url };
    await stage.request('PATCH', 'settings/security/', { body: settings });
    await stage.request('PATCH', 'organizations/1/', { body: { policy_enforcement: 'enforce' } });
    const module = 'package gate\n\ndeny contains "closed" if input.resource_name != "steps"\n';
    const made = await stage.post('policies/', { name: 'gate', rego_module: module, enforcement: 'enforce' });
    expect(made.body.last_sync_status, JSON.stringify(made.body)).to.equal('ok');
  });
  after(async () => {
    await ways?.stage.stop();
    await opa?.stop();
  });

  const decided = async () => (await ways.stage.get('policy_decisions/?page_size=1')).body;
  const runs = async () => (await ways.stage.get('unified_jobs/')).body.count as number;

  for (const [way, launch] of Object.entries({ ...waiting, 'a command': command }))
    it(`deny ${way}, which leaves a decision and no run`, async () => {
      const [before, { count }] = [await runs(), await decided()];
      const { status, body } = await launch(ways);
      expect([status, body.reasons]).to.deep.equal([403, ['closed']]);
      const { count: after, results } = await decided();
      expect([await runs(), after]).to.deep.equal([before, count + 1]);
      expect(results[0]).to.include({ id: body.decisions[0], decision: 'deny', unified_job: null });
    });

  for (const [way, [launchType, start]] of Object.entries(alone))
    it(`keep ${way} as failed, with its decision`, async () => {
      const failed = await ways.kept(start);
      expect(failed).to.include({ launch_type: launchType, started: null });
      expect(failed.job_explanation).to.include('closed');
      const decisions = (await ways.stage.get(`policy_decisions/?unified_job=${failed.id}`)).body.results;
      expect(decisions.map(({ decision }: any) => decision)).to.deep.equal(['deny']);
    });

  it('are traced each, and counted as a tap', async () => {
    const attributes = { policy: 1, resource_type: 'job_template', decision: 'deny' };
    expect(ways.spans).to.deep.include({ name: 'policy.evaluate', attributes });
    const { text } = await ways.stage.get('metrics/');
    expect(text).to.match(
      /^tapline_hook_taps_total\{hook="beforeStart",tap="policy:judge-launch",result="denied"\} \d+$/m,
    );
  });

  it('say in a preview what they would do, which leaves nothing', async () => {
    const [before, { count }] = [await runs(), await decided()];
    const { stage, template } = ways;
    const { status, body } = await stage.post(`job_templates/${template}/launch/?preview=true`, {});
    const gate = body.gates.find(({ tap }: any) => tap === 'policy:judge-launch');
    expect([status, gate.answer]).to.deep.equal([200, 'denied']);
    expect([await runs(), (await decided()).count]).to.deep.equal([before, count]);
  });
});

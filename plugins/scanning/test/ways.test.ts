import { expect } from 'chai';
import { alone, command, openWays, waiting, type Ways } from '../../../test/launch/ways.ts';
import scanning from '../index.ts';
import { finds, toolOf } from './tool.ts';

const found = [
  {
    check_name: 'risky-octal',
    severity: 'major',
    description: 'closed',
    location: { path: 'quick.yml', lines: { begin: 1 } },
  },
];

describe('scanners on each way to launch', function () {
  this.timeout(300_000);
  let ways: Ways;
  let scanner: string;

  before(async () => {
    ways = await openWays([scanning]);
    const { stage } = ways;
    const settings = { SCANNER_ENABLED: true, SCANNER_COMMANDS: { playbook_lint: toolOf(finds(found)) } };
    expect((await stage.request('PATCH', 'settings/security/', { body: settings })).status).to.equal(200);
    const columns = { name: 'gate', tool: 'playbook_lint', enforcement: 'enforce' };
    scanner = (await stage.post('scanners/', columns)).body.url;
  });
  after(() => ways?.stage.stop());

  const results = async (query = '') => (await ways.stage.get(`scan_results/?page_size=1${query}`)).body;
  const runs = async () => (await ways.stage.get('unified_jobs/')).body.count as number;

  for (const [way, launch] of Object.entries(waiting))
    it(`stop ${way}, which leaves a result and no run`, async () => {
      const [before, { count }] = [await runs(), await results()];
      const { status, body } = await launch(ways);
      expect(status, JSON.stringify(body)).to.equal(403);
      expect(body.detail).to.equal('Scanner blocked launch.');
      expect(body.reasons[0]).to.match(/closed$/);
      const { count: after, results: stored } = await results();
      expect([await runs(), after]).to.deep.equal([before, count + 1]);
      expect(stored[0]).to.include({ status: 'blocked', unified_job: null });
    });

  it('are traced each, and counted as a tap', async () => {
    const attributes = { scanner: 1, tool: 'playbook_lint', status: 'blocked', known: false };
    expect(ways.spans).to.deep.include({ name: 'scanning.scan', attributes });
    const { text } = await ways.stage.get('metrics/');
    expect(text).to.match(
      /^tapline_hook_taps_total\{hook="beforeStart",tap="scanning:scan-launch",result="denied"\} \d+$/m,
    );
  });

  it('let a command pass, which has no files', async () => {
    const { count } = await results();
    expect((await command(ways)).status).to.equal(201);
    expect((await results()).count).to.equal(count);
  });

  it('are not asked by a preview, which says so', async () => {
    const { count } = await results();
    const { stage, template } = ways;
    const { status, body } = await stage.post(`job_templates/${template}/launch/?preview=true`, {});
    const gate = body.gates.find(({ tap }: any) => tap === 'scanning:scan-launch');
    expect([status, gate.answer]).to.deep.equal([200, 'not asked']);
    expect((await results()).count).to.equal(count);
  });

  describe('where nobody waits', () => {
    before(async () => {
      // of a workflow the steps, and not the whole before they begin
      const body = { applies_to: ['job_template'] };
      expect((await ways.stage.request('PATCH', scanner, { body })).status).to.equal(200);
    });

    for (const [way, [launchType, start]] of Object.entries(alone))
      it(`keep ${way} as failed, with its result`, async () => {
        const failed = await ways.kept(start);
        expect(failed).to.include({ launch_type: launchType, started: null });
        expect(failed.job_explanation).to.include('closed');
        const { count, results: stored } = await results(`&unified_job=${failed.id}`);
        expect([count, stored[0].status]).to.deep.equal([1, 'blocked']);
      });
  });
});

import { expect } from 'chai';
import { type ScanStage, startScanStage } from './stage.ts';

interface Lint {
  rule: string;
  line: number;
  text?: string;
}

describe('findings that somebody accepted', function () {
  this.timeout(300_000);
  let stage: ScanStage;
  let template: any;
  let other: any;
  let scanner: any;

  before(async () => {
    stage = await startScanStage();
    template = await stage.project({ 'site.yml': '- hosts: all\n' });
    other = await stage.project({ 'site.yml': '- hosts: all\n' });
    await stage.makeUser('ann');
  });
  after(() => stage?.stop());
  beforeEach(async () => {
    scanner = await stage.scanner({ enforcement: 'enforce', organization: 1 });
  });
  afterEach(async () => void (await stage.admin.delete(scanner.url)));

  /** What the tool says from now on. */
  const says = async (...lints: Lint[]) => {
    const found = lints.map(({ rule, line, text = 'Bad.' }) => ({
      check_name: rule,
      severity: 'critical',
      description: text,
      location: { path: 'site.yml', lines: { begin: line } },
    }));
    const tool = stage.program(`cat <<'END'\n${JSON.stringify(found)}\nEND\nexit 2`);
    await stage.set({ SCANNER_COMMANDS: { playbook_lint: tool, iac_scan: tool, dependency_audit: tool } });
  };
  const last = async () => (await stage.admin.get((await stage.results(`&scanner=${scanner.id}`))[0].url)).body;
  const launch = async (of = template) => {
    const { status, body } = await stage.launch(of);
    return { status, reasons: body.reasons, result: await last() };
  };
  const accept = async (result: any, body: object = { reason: 'Known since 2019.' }) =>
    stage.admin.post(`${result.url}accept/`, body);

  it('count no more wherever they moved, and what comes new does, more of the same included', async () => {
    await says({ rule: 'no-shell', line: 3 }, { rule: 'no-shell', line: 9 });
    const { status, result } = await launch();
    expect([status, result.status, result.finding_count, result.accepted_count]).to.deep.equal([403, 'blocked', 2, 0]);
    expect((await accept(result)).body).to.deep.equal({ accepted: 2 });

    await says({ rule: 'no-shell', line: 30 }, { rule: 'no-shell', line: 90 });
    const known = await launch();
    expect([known.status, known.result.status, known.result.highest_severity]).to.deep.equal([201, 'ok', '']);
    expect([known.result.finding_count, known.result.accepted_count, known.result.message]).to.deep.equal([2, 2, '']);
    const sarif = (await stage.admin.get(`${known.result.url}sarif/`)).body.runs[0].results;
    const suppressed = [{ kind: 'external', status: 'accepted' }];
    expect(sarif.map(({ suppressions }: any) => suppressions)).to.deep.equal([suppressed, suppressed]);

    await says(...[1, 2, 3].map((line) => ({ rule: 'no-shell', line })));
    expect(await launch()).to.deep.include({ status: 403, reasons: ['Bad.'] });
    await says({ rule: 'no-shell', line: 1 }, { rule: 'new', line: 2, text: 'Worse.' });
    expect(await launch()).to.deep.include({ status: 403, reasons: ['Worse.'] });
    // another project has accepted nothing
    await says({ rule: 'no-shell', line: 3 });
    expect((await launch(other)).status).to.equal(403);
  });

  it('may be some of a result, are listed with the reason, and count again when that is deleted', async () => {
    await says({ rule: 'a', line: 1 }, { rule: 'b', line: 2 });
    const { result } = await launch();
    const a = result.findings.find(({ rule_id: rule }: any) => rule === 'a');
    expect((await accept(result, { reason: 'Ours.', findings: [a.id] })).body).to.deep.equal({ accepted: 1 });
    const { body } = await stage.admin.get(`scanners/${scanner.id}/accepted_findings/`);
    expect(body.count).to.equal(1);
    const [row] = body.results;
    expect(row).to.include({ rule_id: 'a', file_path: 'site.yml', message: 'Bad.', times: 1, reason: 'Ours.' });
    expect(row.summary_fields.created_by.username).to.equal('admin');
    const again = (await launch()).result;
    expect(again.findings.map(({ rule_id: rule, accepted }: any) => [rule, accepted])).to.deep.equal([
      ['a', true],
      ['b', false],
    ]);
    // what is accepted twice is accepted once
    await accept(again);
    expect((await stage.admin.get(`accepted_findings/?scanner=${scanner.id}`)).body.count).to.equal(2);
    expect((await launch()).status).to.equal(201);
    await stage.admin.delete(row.url);
    expect((await launch()).status).to.equal(403);
    const audited = (await stage.admin.get('audit_events/?action=scanning.accept&order_by=-id')).body.results;
    expect(audited[0].details).to.deep.include({ findings: 2, reason: 'Known since 2019.' });
  });

  it('are all that was found, also more than are kept of a result', async () => {
    const many = Array.from({ length: 1200 }, (_, line) => ({ rule: 'many', line, text: `Bad ${line % 1100}.` }));
    await says(...many);
    const { status, result } = await launch();
    expect([status, result.finding_count, result.findings.length]).to.deep.equal([403, 1200, 1000]);
    expect((await accept(result)).body).to.deep.equal({ accepted: 1200 });
    const known = await launch();
    expect([known.status, known.result.accepted_count]).to.deep.equal([201, 1200]);
    await says(...many, { rule: 'many', line: 1, text: 'Bad 1.' });
    expect((await launch()).reasons).to.deep.equal(['Bad 1.']);
  });

  it('are accepted by who administers the scanner, with a reason, of what was found', async () => {
    await says({ rule: 'a', line: 1 });
    const { result } = await launch();
    for (const [body, field] of [
      [{}, 'reason'],
      [{ reason: '' }, 'reason'],
      [{ reason: 'x', findings: [0] }, 'findings'],
      [{ reason: 'x', findings: ['a'] }, 'findings'],
      [{ reason: 'x', findings: 'all' }, 'findings'],
    ] as const) {
      const answer = await accept(result, body);
      expect([answer.status, Object.keys(answer.body)], answer.text).to.deep.equal([400, [field]]);
    }
    expect((await stage.as('ann').post(`${result.url}accept/`, { reason: 'x' })).status).to.equal(404);
    expect((await accept(result, { reason: 'x', findings: [] })).body).to.deep.equal({ accepted: 0 });
    // two at once
    const both = await Promise.all([accept(result), accept(result)]);
    expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
    await stage.admin.delete(scanner.url);
    const late = await accept(result);
    expect([late.status, late.body.detail]).to.deep.equal([
      400,
      'Its scanner or its project is gone: there is nothing to accept it for.',
    ]);
  });
});

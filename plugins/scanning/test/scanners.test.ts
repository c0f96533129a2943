import { expect } from 'chai';
import { until } from '@tapline/plugin-sdk/testing';
import { type ScanStage, startScanStage } from './stage.ts';

const finds = (message: string, rule = 'risky-octal') =>
  `cat <<'END'\n${JSON.stringify([{ check_name: rule, severity: 'major', description: message, location: { path: 'site.yml', lines: { begin: 1 } } }])}\nEND\nexit 2`;

describe('scanners', function () {
  this.timeout(300_000);
  let stage: ScanStage;
  let template: any;

  before(async () => {
    stage = await startScanStage();
    template = await stage.project({ 'site.yml': '- hosts: all\n' });
    await stage.makeUser('ann');
  });
  after(() => stage?.stop());
  afterEach(async () => {
    const { results } = (await stage.admin.get('scanners/?page_size=200')).body;
    for (const { url } of results) await stage.admin.delete(url);
    await stage.set({ SCANNER_RAW_OUTPUT_MAX: 8192, SCANNER_ENABLED: true });
  });

  const run = async (script: string, columns = {}) => {
    const tool = stage.program(script);
    await stage.set({ SCANNER_COMMANDS: { playbook_lint: tool, iac_scan: tool, dependency_audit: tool } });
    const scanner = await stage.scanner(columns);
    const answer = await stage.launch(template);
    const [result] = await stage.results(`&scanner=${scanner.id}`);
    return { scanner, answer, result };
  };

  it('have the fields and defaults of the specification', async () => {
    const made = await stage.make('scanners/', { name: 'plain', tool: 'iac_scan' });
    expect(made).to.deep.include({
      type: 'scanner',
      organization: null,
      description: '',
      config: {},
      severity_threshold: 'medium',
      enforcement: 'warn',
      enabled: true,
      applies_to: [],
      trigger_count: 0,
      last_run_at: null,
      last_run_status: '',
    });
    const twin = await stage.make('scanners/', { name: 'plain', tool: 'iac_scan' });
    expect(twin.id).to.not.equal(made.id);
  });

  for (const [what, body, field, text] of [
    ['an unknown tool', { tool: 'grep' }, 'tool', 'not a valid choice'],
    ['an unknown threshold', { severity_threshold: 'bad' }, 'severity_threshold', 'not a valid choice'],
    ['an unknown enforcement', { enforcement: 'none' }, 'enforcement', 'not a valid choice'],
    ['what it does not apply to', { applies_to: ['project'] }, 'applies_to', 'is none of'],
    ['options of another tool', { config: { checks: ['x'] } }, 'config', 'checks'],
    ['an option that is none', { config: { skip: 'name' } }, 'config', 'skip'],
    ['a rule that begins like an option', { config: { skip: ['--fix'] } }, 'config', 'names of rules'],
    ['a file elsewhere', { tool: 'dependency_audit', config: { requirements_file: '../x' } }, 'config', 'within'],
    ['an absolute file', { tool: 'dependency_audit', config: { requirements_file: '/etc/x' } }, 'config', 'within'],
    ['no tool', { tool: undefined }, 'tool', 'required'],
  ] as const)
    it(`refuse ${what}`, async () => {
      const answer = await stage.admin.post('scanners/', { name: 'x', tool: 'playbook_lint', ...body });
      expect(answer.status, answer.text).to.equal(400);
      expect(String(answer.body[field])).to.include(text);
    });

  it('are listed by their filters, switched on and off, and made by administrators only', async () => {
    const one = await stage.scanner({ organization: 1, applies_to: ['job_template'], description: 'needle' });
    const two = await stage.scanner({ tool: 'iac_scan', enabled: false });
    const ids = async (query: string) =>
      (await stage.admin.get(`scanners/?order_by=id&${query}`)).body.results.map(({ id }: any) => id);
    expect(await ids('tool=iac_scan')).to.deep.equal([two.id]);
    expect(await ids('enabled=true')).to.deep.equal([one.id]);
    expect(await ids('applies_to=ad_hoc_command')).to.deep.equal([two.id]);
    expect(await ids('organization=1')).to.deep.equal([one.id]);
    expect(await ids('search=needle')).to.deep.equal([one.id]);
    expect((await stage.admin.post(`${two.url}enable/`)).body.enabled).to.equal(true);
    expect((await stage.admin.post(`${two.url}disable/`)).body.enabled).to.equal(false);
    const ann = stage.as('ann');
    expect((await ann.get(one.url)).status).to.equal(404);
    await stage.grant('ann', '/api/v2/organizations/1/', 'read_role');
    expect((await ann.get(one.url)).status).to.equal(200);
    expect((await ann.post('scanners/', { name: 'x', tool: 'iac_scan', organization: 1 })).status).to.equal(403);
    expect((await ann.post(`${one.url}disable/`)).status).to.equal(403);
  });

  it('join their warnings, and cut the explanation to 1024 characters', async () => {
    await run(finds('x'.repeat(490)), { name: 'a' });
    const { answer } = await run(finds('y'.repeat(490)), { name: 'b' });
    await stage.scanner({ name: 'c' });
    const long = await stage.launch(template);
    expect(answer.body.job_explanation).to.equal(`Scan warnings: ${'y'.repeat(490)}; ${'y'.repeat(490)}`);
    expect(long.body.job_explanation).to.have.length(1024);
    expect(long.body.job_explanation.startsWith('Scan warnings: ')).to.equal(true);
  });

  it('keep of the output so many bytes, and no half of a character', async () => {
    await stage.set({ SCANNER_RAW_OUTPUT_MAX: 100 });
    const { result } = await run(finds('ü'.repeat(200)));
    expect(Buffer.byteLength(result.raw_output)).to.be.within(98, 100);
    expect(result.raw_output).to.not.include('�');
    expect(result.finding_count).to.equal(1);
  });

  it('run with nothing of the service to be seen, without network, and change nothing', async () => {
    const look = [
      'env > /tmp/env',
      `ls ${JSON.stringify(process.cwd())} > /tmp/ls 2>&1`,
      'touch "$PWD/site.yml" /usr/x 2>/tmp/touch; id -u > /tmp/id',
      '(cat /proc/net/dev | grep -v lo: | wc -l) > /tmp/net',
      'for file in env ls touch id net; do echo "== $file"; cat /tmp/$file; done',
    ].join('\n');
    const { result } = await run(look);
    expect(result.status).to.equal('error');
    expect(result.raw_output).to.not.match(/TAPLINE|ADMIN_PASSWORD|DATABASE/);
    expect(result.raw_output).to.match(/Read-only|Permission denied/);
    if (process.getuid?.() === 0) expect(result.raw_output).to.not.match(/== id\n0\n/);
  });

  it('end all that a tool has started when its time is over', async () => {
    const mark = `31${Date.now() % 100_000}`;
    await stage.set({ SCANNER_TIMEOUT_S: 1 });
    const { result } = await run(`setsid sleep ${mark} & sleep ${mark}`);
    await stage.set({ SCANNER_TIMEOUT_S: 120 });
    expect(result.status).to.equal('timeout');
    await until(async () => {
      const { readdirSync, readFileSync } = await import('node:fs');
      return !readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .some((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
          } catch {
            return false;
          }
        });
    });
  });

  it('are errors where the files are not what they seem', async () => {
    const { scanner } = await run('echo "[]"', { tool: 'dependency_audit' });
    const said = async (files: Record<string, string>) => {
      const other = await stage.project({ 'site.yml': '- hosts: all\n', ...files });
      await stage.launch(other);
      const [result] = await stage.results(`&scanner=${scanner.id}&unified_job_template=${other.id}`);
      return [result.status, result.message];
    };
    expect(await said({})).to.deep.equal(['ok', 'No requirements file found.']);
    for (const line of [
      '-e .',
      '-r ../../etc/passwd',
      '-f /tmp',
      '--find-links=/tmp',
      '-r https://example.com/x',
      '-r none.txt',
    ])
      expect((await said({ 'requirements.txt': `${line}\n` }))[0], line).to.equal('error');
    const gone = await stage.project({ 'site.yml': '- hosts: all\n' });
    await stage.admin.patch(gone.url, { playbook: 'site.yml' });
    const config = { requirements_file: 'other/requirements.txt' };
    await stage.admin.patch(scanner.url, { config });
    expect(await said({})).to.deep.equal(['error', 'other/requirements.txt is not in the project.']);
  });

  it('are left out where they are off, or about something else, or there are no files', async () => {
    await run(finds('never'), { enabled: false });
    await stage.scanner({ applies_to: ['workflow_job_template'], enforcement: 'enforce' });
    const before = (await stage.results()).length;
    expect((await stage.launch(template)).status).to.equal(201);
    await stage.scanner({ applies_to: ['ad_hoc_command'], enforcement: 'enforce' });
    const machine = (await stage.admin.get('credential_types/?namespace=ssh')).body.results[0].id;
    const credential = await stage.make('credentials/', { name: 'c', credential_type: machine, organization: 1 });
    const command = { module_name: 'ping', inventory: template.inventory, credential: credential.id };
    expect((await stage.admin.post('ad_hoc_commands/', command)).status).to.equal(201);
    await stage.set({ SCANNER_ENABLED: false });
    await stage.scanner({ enforcement: 'enforce' });
    expect((await stage.launch(template)).status).to.equal(201);
    expect((await stage.results()).length).to.equal(before);
  });

  it('keep their results when they are deleted; results are read by who reads the template', async () => {
    const { scanner, result } = await run(finds('kept'), { name: 'gone' });
    const since = new Date(Date.parse(result.created)).toISOString();
    expect(result).to.include({ status: 'warn', finding_count: 1, highest_severity: 'high', message: 'kept' });
    expect(await stage.results(`&scanner=${scanner.id}&status=warn&since=${since}`)).to.have.length(1);
    expect(await stage.results(`&scanner=${scanner.id}&status=ok`)).to.have.length(0);
    expect(await stage.results(`&unified_job=${result.unified_job}`)).to.have.length(1);
    await stage.admin.delete(scanner.url);
    const { body } = await stage.admin.get(result.url);
    expect(body).to.include({ scanner: null, scanner_name: 'gone' });
    const [{ id, ...finding }] = body.findings;
    expect(finding).to.deep.equal({
      scan_result: result.id,
      rule_id: 'risky-octal',
      severity: 'high',
      file_path: 'site.yml',
      line: 1,
      message: 'kept',
      accepted: false,
    });
    expect(id).to.be.a('number');
    const sarif = await stage.admin.get(`${result.url}sarif/`);
    expect(sarif.status).to.equal(200);
    expect(sarif.body.version).to.equal('2.1.0');
    expect(sarif.body.runs[0].tool.driver.name).to.equal('ansible-lint');
    expect(sarif.body.runs[0].results[0]).to.deep.include({ ruleId: 'risky-octal', message: { text: 'kept' } });
    await stage.makeUser('bob');
    for (const path of ['', 'sarif/']) expect((await stage.as('bob').get(`${result.url}${path}`)).status).to.equal(404);
    await stage.grant('bob', template.url, 'read_role');
    expect((await stage.as('bob').get(result.url)).status).to.equal(200);
  });

  it('keep a blocked run as failed where nobody waits', async () => {
    await run(finds('not in workflows either'), { enforcement: 'enforce', applies_to: ['job_template'] });
    const workflow = await stage.make('workflow_job_templates/', { name: 'w', organization: 1 });
    await stage.make(`${workflow.url}workflow_nodes/`, { unified_job_template: template.id });
    await stage.admin.post(`${workflow.url}launch/`);
    const query = `jobs/?job_template=${template.id}&status=failed`;
    const job = await until(async () => (await stage.admin.get(query)).body.results[0], 120_000);
    expect(job.job_explanation).to.include('not in workflows either');
  });

  it('look at all that the nodes of a workflow will run, before any of them begins', async () => {
    await run(finds('not in any node'), { enforcement: 'enforce', applies_to: ['workflow_job_template'] });
    const inner = await stage.make('workflow_job_templates/', { name: 'inner', organization: 1 });
    await stage.make(`${inner.url}workflow_nodes/`, { unified_job_template: template.id, identifier: 'deploy' });
    const outer = await stage.make('workflow_job_templates/', { name: 'outer', organization: 1 });
    await stage.make(`${outer.url}workflow_nodes/`, { unified_job_template: inner.id, identifier: 'all' });
    // the same files: they are looked at once
    await stage.make(`${outer.url}workflow_nodes/`, { unified_job_template: template.id, identifier: 'again' });
    const before = (await stage.results()).length;
    const refused = await stage.launch(outer);
    expect(refused.status, refused.text).to.equal(403);
    expect(refused.body).to.deep.equal({
      detail: 'Scanner blocked launch.',
      reasons: [refused.body.reasons[0]],
    });
    expect(refused.body.reasons[0]).to.match(/^(deploy|again): not in any node$/);
    const results = await stage.results();
    expect(results.length).to.equal(before + 1);
    expect(results[0]).to.include({ status: 'blocked', unified_job: null, unified_job_template: outer.id });
    const empty = await stage.make('workflow_job_templates/', { name: 'empty', organization: 1 });
    expect((await stage.launch(empty)).status, 'nothing is run').to.equal(201);
  });
});

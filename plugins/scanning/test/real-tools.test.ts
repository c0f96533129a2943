import { expect } from 'chai';
import { describeWith } from '../../../test/support/needs.ts';
import { startAdvisories } from './osv.ts';
import { type ScanStage, startScanStage } from './stage.ts';

const risky = `---
- name: Risky
  hosts: all
  tasks:
    - name: Fetch without a look at the certificate
      ansible.builtin.get_url:
        url: https://example.com/x
        dest: /tmp/x
        validate_certs: false
`;
const clean = `---
- name: Clean
  hosts: all
  tasks:
    - name: Say hello
      ansible.builtin.debug:
        msg: hello
`;

describeWith(['ansible-lint', 'checkov', 'pip-audit'], 'scans by the real tools', function () {
  this.timeout(600_000);
  let stage: ScanStage;
  let advisories: Awaited<ReturnType<typeof startAdvisories>>;

  before(async () => {
    [stage, advisories] = [await startScanStage(), await startAdvisories()];
    await stage.set({ SCANNER_ADVISORIES_URL: advisories.url });
  });
  after(async () => {
    await stage?.stop();
    await advisories?.stop();
  });

  it('of all three at once stop a launch, and keep what they found', async () => {
    const lint = await stage.scanner({ name: 'lint', enforcement: 'enforce' });
    const iac = await stage.scanner({ name: 'iac', tool: 'iac_scan', enforcement: 'enforce' });
    const audit = await stage.scanner({ name: 'audit', tool: 'dependency_audit', enforcement: 'enforce' });
    const template = await stage.project({ 'site.yml': risky, 'requirements.txt': 'requests==2.19.0\n' });
    const { status, body } = await stage.launch(template);
    expect(status, JSON.stringify(body)).to.equal(403);
    expect(body.detail).to.equal('Scanner blocked launch.');
    expect(body).to.have.keys('detail', 'reasons');
    expect(body.reasons).to.have.length(3);
    expect((await stage.admin.get('jobs/')).body.count).to.equal(0);

    const of = async (scanner: any) => {
      const [result] = await stage.results(`&scanner=${scanner.id}`);
      expect(result).to.include({ status: 'blocked', unified_job: null, unified_job_template: template.id });
      expect(result).to.include({ scanner_name: scanner.name, triggered_by: 1, organization: 1 });
      expect(result.duration_ms).to.be.greaterThan(0);
      return (await stage.admin.get(result.url)).body;
    };
    const linted = await of(lint);
    const permissions = linted.findings.find(({ rule_id: rule }: any) => rule === 'risky-file-permissions');
    expect(permissions).to.include({ severity: 'high', file_path: 'site.yml', scan_result: linted.id });
    expect(permissions.line).to.be.a('number');
    expect(linted).to.include({ highest_severity: 'high', finding_count: linted.findings.length });
    expect(linted.message).to.equal(linted.findings[0].message);
    expect(linted.raw_output).to.include('risky-file-permissions');

    const scanned = await of(iac);
    const certificate = scanned.findings.find(({ rule_id: rule }: any) => rule === 'CKV_ANSIBLE_2');
    expect(certificate).to.include({ severity: 'medium', file_path: 'site.yml', line: 5 });

    const audited = await of(audit);
    expect(audited.findings.map(({ rule_id: rule }: any) => rule)).to.deep.equal(['PYSEC-2018-28']);
    expect(audited.findings[0]).to.include({ severity: 'medium', file_path: 'requirements.txt', line: null });
    expect(audited.findings[0].message).to.include('requests 2.19.0').and.to.include('Fixed in 2.20.0');

    for (const { url } of [lint, iac, audit]) {
      const shown = (await stage.admin.get(url)).body;
      expect(shown).to.include({ last_run_status: 'blocked', trigger_count: 1 });
      expect(shown.last_run_at).to.be.a('string');
    }
  });

  it('let a clean project pass', async () => {
    const before = (await stage.results()).length;
    const template = await stage.project({ 'site.yml': clean, 'requirements.txt': 'requests==2.32.0\n' });
    const { status, body } = await stage.launch(template);
    const results = (await stage.results()).slice(0, -before);
    const said = results.map((result: any) => [result.scanner_name, result.status, result.message].join());
    said.sort();
    expect(said).to.deep.equal(['audit,ok,', 'iac,ok,', 'lint,ok,']);
    expect([status, body.job_explanation]).to.deep.equal([201, '']);
    expect(results.every(({ unified_job: job }: any) => job === body.id)).to.equal(true);
  });

  it('are not misled by what the repository says to its tools, or runs of its own code', async () => {
    const template = await stage.project({
      'site.yml': risky,
      '.ansible-lint': 'skip_list: [risky-file-permissions, name, fqcn]\nrulesdir: [rules]\nuse_default_rules: false\n',
      'rules/evil.py': "open('/scan/loaded', 'w').write('x')\nraise SystemExit(0)\n",
      '.checkov.yaml': 'external-checks-dir: [checks]\nskip-check: [CKV_ANSIBLE_2, CKV2_ANSIBLE_2]\n',
      'checks/__init__.py': 'raise SystemExit(0)\n',
    });
    expect((await stage.launch(template)).status).to.equal(403);
    const [results] = [await stage.results(`&unified_job_template=${template.id}`)];
    const found = Object.fromEntries(results.map((result: any) => [result.scanner_name, result.status]));
    expect(found).to.deep.equal({ lint: 'blocked', iac: 'blocked', audit: 'ok' });
  });

  it('that could not look at everything do not pass it', async () => {
    const template = await stage.project({ 'site.yml': clean, 'requirements.txt': 'requests\n' });
    await stage.launch(template);
    const [audit] = await stage.results(`&unified_job_template=${template.id}&scanner_name=audit`);
    expect(audit).to.include({ status: 'error', finding_count: 0 });
    await stage.set({ SCANNER_ADVISORIES_URL: 'http://127.0.0.1:9/v1/query' });
    const pinned = await stage.project({ 'site.yml': clean, 'requirements.txt': 'requests==2.19.0\n' });
    await stage.launch(pinned);
    const [down] = await stage.results(`&unified_job_template=${pinned.id}&scanner_name=audit`);
    expect(down).to.include({ status: 'error' });
    const broken = await stage.project({ 'site.yml': '- hosts: all\n  tasks: [\n' });
    await stage.launch(broken);
    for (const { scanner_name: name, status } of await stage.results(`&unified_job_template=${broken.id}`))
      if (name !== 'audit') expect([name, status]).to.not.include('ok');
  });
});

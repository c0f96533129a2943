import { expect } from 'chai';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import scanning from '../index.ts';

describeWith(['chromium'], 'the page of scanners', function () {
  this.timeout(300_000);
  let stage: Stage;

  before(async () => {
    stage = await openStage({}, { plugins: [scanning] });
    await stage.logIn();
    const { db } = stage.service.services;
    const { id: scanner_id } = (await stage.service.post('scanners/', { name: 'Own', tool: 'iac_scan' })).body;
    const { id: project_id } = (await stage.service.post('projects/', { name: 'p', organization: 1 })).body;
    const told = { scanner_name: 'Lint', status: 'blocked', finding_count: 1, message: 'Too risky.' };
    const rest = { duration_ms: 1, highest_severity: 'high', raw_output: '[]', revision: '' };
    const [result] = await db('plugin_scanning.results')
      .insert({ organization_id: 1, scanner_id, project_id, ...told, ...rest })
      .returning('id');
    const finding = { rule_id: 'no-shell', severity: 'high', message: '<b>Shell</b>', file_path: 'site.yml', line: 7 };
    await db('plugin_scanning.findings').insert({ ...finding, scan_result_id: result.id });
  });
  after(() => stage?.stop());

  it('adds a scanner, switches it, and shows what was found when somebody looks', async () => {
    const { page } = stage;
    await stage.open('/scanners');
    await page.getByRole('button', { name: 'Add playbook_lint' }).click();
    await page.getByText('Playbooks that are risky or out of style: warn').waitFor();
    const lint = page.getByRole('listitem').filter({ hasText: 'Playbooks that are risky' });
    await lint.getByRole('button', { name: 'Disable' }).click();
    await lint.getByRole('button', { name: 'Enable' }).waitFor();
    const [scanner] = (await stage.service.get('scanners/?tool=playbook_lint')).body.results;
    expect(scanner).to.include({ tool: 'playbook_lint', enabled: false });
    await page.route('**/scan_results/*/', (route) => route.abort());
    const summary = page.getByText('Lint: blocked, 1 findings');
    await summary.click();
    await page.getByText('The service cannot be reached').waitFor();
    await page.unroute('**/scan_results/*/');
    await summary.click();
    await summary.click();
    await page.getByText('high no-shell: <b>Shell</b>').waitFor();
    await page.getByText('site.yml:7').waitFor();
    await page.getByLabel('Why they are accepted').fill('Known.');
    await page.getByRole('button', { name: 'Accept these findings' }).click();
    await page.getByText('from the next launch on they count no more').waitFor();
    const [accepted] = (await stage.service.get('accepted_findings/')).body.results;
    expect(accepted).to.include({ rule_id: 'no-shell', file_path: 'site.yml', times: 1, reason: 'Known.' });
  });
});

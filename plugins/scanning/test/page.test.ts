import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { violations } from '../../../test/console/axe.ts';
import { openStage, type Stage } from '../../../test/console/stage.ts';
import { describeWith } from '../../../test/support/needs.ts';
import scanning from '../index.ts';
import { finds, toolOf } from './tool.ts';

const found = [
  ['no-shell', 5, '<b>Shell</b>'],
  ['key-order', 1, 'In another order.'],
].map(([rule, line, text]) => ({
  check_name: rule,
  severity: 'critical',
  description: text,
  location: { path: 'greet.yml', lines: { begin: line } },
}));

describeWith(['chromium'], 'scanners in the console', function () {
  this.timeout(300_000);
  let stage: Stage;
  let page: Page;
  let template: number;

  before(async () => {
    stage = await openStage({ TAPLINE_PLUGINS: 'console' }, { plugins: [scanning] });
    page = stage.page;
    const tool = toolOf(finds(found));
    const body = { SCANNER_ENABLED: true, SCANNER_COMMANDS: { playbook_lint: tool } };
    await stage.service.request('PATCH', 'settings/security/', { body });
    template = (await stage.template('greet.yml', { name: 'Greet the team' })).id;
    await stage.logIn();
  });
  after(() => stage?.stop());

  const clean = async () => {
    expect(await violations(page)).to.deep.equal([]);
    expect(stage.problems()).to.deep.equal([]);
  };
  const launch = async () => (await stage.service.post(`job_templates/${template}/launch/`)).status;

  it('are made, and switched off and on', async () => {
    await stage.open('/scanners');
    await page.getByText('There is no scanner yet.').waitFor();
    await page.getByRole('link', { name: 'New scanner' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Lint');
    await page.getByLabel('Tool').selectOption('playbook_lint');
    await page.getByLabel('Enforcement').selectOption('enforce');
    await page.getByLabel('Severity threshold').selectOption('low');
    await page.getByRole('button', { name: 'Create scanner' }).click();
    await page.getByRole('heading', { name: 'Lint', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Disable' }).waitFor();
    await clean();
    const [made] = (await stage.service.get('scanners/')).body.results;
    expect(made).to.include({ tool: 'playbook_lint', enabled: true, enforcement: 'enforce' });
  });

  it('show what they found beside the lines that it is about', async () => {
    expect(await launch()).to.equal(403);
    await stage.open('/scan_results');
    await page.getByRole('link', { name: 'Lint' }).click();
    const shell = page.getByRole('article', { name: 'no-shell at greet.yml:5' });
    await shell.getByText('<b>Shell</b>').waitFor();
    expect(await shell.locator('mark').textContent()).to.match(/^ +5 {2} +- name: Greet\n$/);
    await page.getByRole('region', { name: 'greet.yml, from line 3' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download SARIF' }).click();
    expect((await download).suggestedFilename()).to.match(/^scan-\d+\.sarif$/);
    await page.getByRole('link', { name: 'Details' }).click();
    await page.getByText('Highest severity').waitFor();
    await clean();
  });

  it('let findings be accepted, some and all, which can be taken back', async () => {
    await page.getByRole('link', { name: 'Findings' }).click();
    await page.getByLabel('Accept no-shell at greet.yml:5').check();
    await page.getByLabel('Why they are accepted').fill('Known.');
    await page.getByRole('button', { name: 'Accept the 1 chosen' }).click();
    await page.getByText('From the next launch on they count no more.').waitFor();
    await clean();
    expect(await launch()).to.equal(403);
    const [last] = (await stage.service.get('scan_results/')).body.results;
    await stage.open(`/scan_results/${last.id}?tab=findings`);
    await page.getByRole('article', { name: 'no-shell' }).getByText('accepted before').waitFor();
    await page.getByLabel('Why they are accepted').fill('Later.');
    await page.getByRole('button', { name: 'Accept all 2' }).click();
    await page.getByText('From the next launch on they count no more.').waitFor();
    const accepted = (await stage.service.get('accepted_findings/?order_by=id')).body.results;
    expect(accepted.map(({ rule_id: rule }: any) => rule)).to.have.members(['no-shell', 'key-order']);

    await stage.open('/accepted_findings');
    await page.getByRole('link', { name: 'key-order' }).click();
    await page.getByRole('heading', { name: 'key-order', level: 1 }).waitFor();
    await clean();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Accepted findings', level: 1 }).waitFor();
    expect((await stage.service.get('accepted_findings/')).body.count).to.equal(1);
    expect(await launch()).to.equal(403);
  });

  it('tell on the page of a run what they found in it, where they found anything', async () => {
    const [{ id }] = (await stage.service.get('scanners/')).body.results;
    await stage.service.request('PATCH', `scanners/${id}/`, { body: { enforcement: 'warn' } });
    const run = async () => (await stage.service.post(`job_templates/${template}/launch/`)).body.id;
    const panel = page.getByRole('region', { name: 'Scan results' });
    await stage.open(`/jobs/${await run()}`);
    await panel
      .getByRole('row', { name: /Lint.*Warned.*2, of them 1 accepted before.*low.*In another order/ })
      .waitFor();
    await clean();
    await panel.getByRole('link', { name: 'Lint' }).click();
    await page.getByRole('article', { name: 'no-shell at greet.yml:5' }).waitFor();
    await stage.service.request('PATCH', `scanners/${id}/`, { body: { enabled: false } });
    await stage.open(`/jobs/${await run()}`);
    await page.getByText('hello nobody').waitFor();
    expect(await panel.isVisible()).to.equal(false);
    await clean();
  });
});

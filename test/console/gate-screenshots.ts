/** Makes the pictures of gates in docs/screenshots, by the real engine and the real linter: `node test/console/gate-screenshots.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { root } from '../../core/config/config.ts';
import policy from '../../plugins/policy/index.ts';
import { startOpa } from '../../plugins/policy/test/opa.ts';
import scanning from '../../plugins/scanning/index.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.ts';
import { until } from '../support/until.ts';
import { openStage, type Stage } from './stage.ts';

const folder = join(root, 'docs', 'screenshots');
const schemes = ['light', 'dark'] as const;

const risky = `- name: Fetch the release
  hosts: all
  tasks:
    - name: Fetch without a look at the certificate
      ansible.builtin.get_url:
        url: https://releases.example.com/shop.tar.gz
        dest: /opt/shop.tar.gz
        validate_certs: false
    - name: Unpack it
      shell: tar xzf /opt/shop.tar.gz -C /opt
`;

async function picture(page: Page, name: string): Promise<void> {
  await until(async () => (await page.getByText(/^Loading/).count()) === 0);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  console.log(`docs/screenshots/${name}.png`);
}

async function furnish(stage: Stage, engine: string): Promise<{ policy: number; result: number }> {
  const { service } = stage;
  const body = { POLICY_ENGINE_ENABLED: true, POLICY_ENGINE_SERVER_URL: engine, SCANNER_ENABLED: true };
  await service.request('PATCH', 'settings/security/', { body });
  await service.request('PATCH', 'organizations/1/', { body: { policy_enforcement: 'enforce' } });
  const module = readFileSync(join(root, 'plugins/policy/library/change_ticket.rego'), 'utf8');
  const made = await stage.make('policies/', {
    name: 'A change ticket for everything',
    enforcement: 'enforce',
    rego_module: module,
  });
  await stage.make('scanners/', {
    name: 'No risky playbooks',
    tool: 'playbook_lint',
    severity_threshold: 'medium',
    enforcement: 'enforce',
  });
  const { id } = await stage.template('risky.yml', { name: 'Fetch the release', ask_variables_on_launch: true });
  const launch = (variables: object) => service.post(`job_templates/${id}/launch/`, { extra_vars: variables });
  for (const [variables, detail] of [
    [{}, 'Policy denied launch.'],
    [{ change_ticket: 'CHG4711' }, 'Scanner blocked launch.'],
  ] as const) {
    const { body: said } = await launch(variables);
    if (said.detail !== detail) throw new Error(`the launch was answered ${JSON.stringify(said)}`);
  }
  const [result] = (await service.get('scan_results/')).body.results;
  return { policy: made.id, result: result.id };
}

async function takeAll(stage: Stage, { policy: id, result }: { policy: number; result: number }): Promise<void> {
  for (const colorScheme of schemes) {
    const page = await stage.fresh({ viewport: { width: 1280, height: 900 }, colorScheme });
    const after = colorScheme === 'dark' ? '-dark' : '';
    await stage.logIn(page);
    await page.goto(`/policies/${id}/edit`);
    const context = page.getByLabel('Try with the context of');
    await until(async () => (await context.locator('option').count()) > 1);
    await context.selectOption({ index: 1 });
    await page
      .getByRole('region', { name: 'Try the module' })
      .getByRole('status')
      .filter({ hasText: 'deny' })
      .waitFor();
    await page.getByLabel('Module').scrollIntoViewIfNeeded();
    await picture(page, `policy-editor${after}`);
    await page.goto(`/scan_results/${result}?tab=findings`);
    await page.getByRole('article').first().waitFor();
    await picture(page, `scan-findings${after}`);
    await page.context().close();
  }
}

await mochaGlobalSetup();
const opa = await startOpa();
const stage = await openStage(
  { TAPLINE_PLUGINS: 'console' },
  { plugins: [policy, scanning], more: { 'risky.yml': risky } },
);
try {
  await takeAll(stage, await furnish(stage, opa.url));
} finally {
  await stage.stop();
  await opa.stop();
  await mochaGlobalTeardown();
}

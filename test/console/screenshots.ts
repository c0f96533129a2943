/** Makes the pictures in docs/screenshots from a running service: `node test/console/screenshots.ts`. */
import { writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/hooks.ts';
import { picture } from './picture.ts';
import { local, openStage, play, type Stage } from './stage.ts';

const task = (name: string, rest: string) => `    - name: ${name}\n${rest.replaceAll(/^/gm, '      ')}\n`;
const command = (text: string) => `command: ${text}\nchanged_when: true`;

const playbooks = {
  'release.yml': play(
    [
      task('Say which release this is', 'debug: {msg: "{{ inventory_hostname }} gets release 2.14.0"}'),
      task('Take the host out of the load balancer', command('echo drained')),
      task('Unpack the release', command('echo unpacked')),
      task('Restart the service', command('echo restarted')),
      task('Wait until somebody has looked at it', 'wait_for: {path: "{{ release }}", timeout: 300}'),
    ].join(''),
  ),
  'patch.yml': play(
    [
      task('Check free space', 'command: df -h /\nchanged_when: false'),
      task('Read the release notes', 'slurp: {src: /etc/shop/release-notes}\nwhen: inventory_hostname == "web2"'),
      task('Become root', 'fail: {msg: "sudo: a password is required"}\nwhen: inventory_hostname == "db1"'),
      task('Upgrade packages', command('echo upgraded')),
    ].join(''),
  ),
};

const status = (page: Page, text: string) => page.locator('.page-head .status', { hasText: text }).waitFor();

async function launch(stage: Stage, playbook: string, body: object): Promise<number> {
  const { id } = await stage.template(playbook, { allow_simultaneous: true, ...body });
  return (await stage.make(`job_templates/${id}/launch/`, {})).job;
}

async function takeAll(stage: Stage): Promise<void> {
  const { inventory, release } = stage;
  const page = await stage.fresh({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  for (const name of ['web2', 'db1']) await stage.make('hosts/', { name, inventory, variables: local });
  await page.goto('/');
  await page.getByLabel('User name').fill('admin');
  await picture(page, 'login');
  await stage.logIn(page);

  const failed = await launch(stage, 'patch.yml', {
    name: 'Patch every host',
    description: 'Security updates, nightly',
  });
  await page.goto(`/jobs/${failed}`);
  await status(page, 'Failed');
  await page.getByRole('region', { name: 'What failed' }).getByText('db1').waitFor();
  await picture(page, 'failure');

  const greeted = await launch(stage, 'greet.yml', { name: 'Greet the team' });
  await page.goto(`/jobs/${greeted}`);
  await status(page, 'Successful');
  const extra_vars = JSON.stringify({ release });
  const running = await launch(stage, 'release.yml', { name: 'Release the shop', extra_vars });
  await page.goto(`/jobs/${running}`);
  await page.getByText('TASK [Wait until somebody has looked at it]').waitFor();
  await picture(page, 'live-output');
  await page.goto('/');
  await page.getByRole('table', { name: 'Running jobs' }).waitFor();
  await picture(page, 'overview');
  await page.goto('/recommendations');
  await picture(page, 'recommendations');
  writeFileSync(release, '');

  const dark = await stage.fresh({ viewport: { width: 1280, height: 800 }, colorScheme: 'dark' });
  await stage.logIn(dark);
  await dark.goto('/setup');
  await picture(dark, 'setup-dark');
}

await mochaGlobalSetup();
const stage = await openStage({}, { more: playbooks });
try {
  await takeAll(stage);
} finally {
  await stage.stop();
  await mochaGlobalTeardown();
}

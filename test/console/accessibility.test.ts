import { expect } from 'chai';
import { describeWith } from '../support/needs.ts';
import { until } from '../support/until.ts';
import { violations } from './axe.ts';
import { everyPage } from './page-paths.ts';
import { openStage, type Stage } from './stage.ts';

describeWith(['chromium'], 'the console: for everybody', () => {
  let stage: Stage;
  let failed: number;
  let asking: number;
  let pages: string[];
  before(async () => {
    stage = await openStage();
    const { id } = await stage.template('failing.yml', { name: 'Fail' });
    asking = (
      await stage.template('greet.yml', {
        name: 'Ask',
        ...Object.fromEntries(
          ['variables', 'limit', 'credential', 'inventory', 'verbosity', 'diff_mode', 'forks', 'job_type', 'tags'].map(
            (name) => [`ask_${name}_on_launch`, true],
          ),
        ),
      })
    ).id;
    const { id: told } = await stage.make('notification_templates/', {
      name: 'Tell the team',
      organization: 1,
      notification_type: 'webhook',
      notification_configuration: { url: 'http://127.0.0.1:9/', headers: {} },
    });
    await stage.service.post(`notification_templates/${told}/test/`);
    await stage.make(`job_templates/${asking}/schedules/`, {
      name: 'Nightly',
      inventory: stage.inventory,
      rrule: 'DTSTART:20300101T030000Z RRULE:FREQ=DAILY;INTERVAL=1',
    });
    const workflow = (await stage.make('workflow_job_templates/', { name: 'Release', organization: 1 })).id;
    failed = (await stage.make(`job_templates/${id}/launch/`, {})).job;
    const ran = await decided(workflow);
    const { inventory } = stage;
    await stage.make('ad_hoc_commands/', { inventory, module_name: 'ping' });
    await stage.make('execution_environments/', { name: 'Plain', image: 'registry.example.com/plain' });
    await stage.make('applications/', {
      name: 'Till',
      organization: 1,
      client_type: 'public',
      authorization_grant_type: 'password',
    });
    await stage.make('tokens/', { description: 'For the till', scope: 'read' });
    await stage.make('teams/', { name: 'Keepers', organization: 1 });
    await stage.make('groups/', { name: 'tills', inventory });
    await stage.make('inventory_sources/', { name: 'Cloud', inventory, source: 'ec2' });
    await until(
      async () => (await stage.service.get('unified_jobs/?status__in=pending,waiting,running')).body.count === 0,
    );
    await until(async () => (await stage.service.get(`jobs/${failed}/`)).body.event_processing_finished);
    pages = await everyPage(stage, {
      '/templates/:id/launch': `/templates/${asking}/launch`,
      '/workflow_job_templates/:id/launch': `/workflow_job_templates/${workflow}/launch`,
      '/workflow_jobs/:id': `/workflow_jobs/${ran}`,
      '/settings/:slug': '/settings/jobs',
      '/wizards/:name': '/wizards/compliance',
    });
  });
  after(() => stage?.stop());
  afterEach(() => expect(stage.problems()).to.deep.equal([]));

  /** A run of the workflow with an approval that was denied: nobody may approve what they launched. */
  async function decided(workflow: number): Promise<number> {
    const node = await stage.make(`workflow_job_templates/${workflow}/workflow_nodes/`, { identifier: 'ask' });
    await stage.make(`workflow_job_template_nodes/${node.id}/create_approval_template/`, { name: 'Shall we?' });
    const run = (await stage.make(`workflow_job_templates/${workflow}/launch/`, {})).id;
    const waiting = () => stage.service.get('workflow_approvals/?status=pending');
    await until(async () => (await waiting()).body.count === 1);
    await stage.service.post(`workflow_approvals/${(await waiting()).body.results[0].id}/deny/`);
    return run;
  }

  /** Each page is opened once: what its theme and its width change is looked at without loading it again. */
  it('has names and order in every page, contrast in both themes, and fits a narrow screen without scrolling sideways', async () => {
    const page = await stage.fresh({ colorScheme: 'light', reducedMotion: 'reduce' });
    const wide = page.viewportSize()!;
    const found: Record<string, string[]> = {};
    const look = async (path: string) => {
      const light = await violations(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      const dark = (await violations(page, ['color-contrast', 'link-in-text-block'])).map((one) => `dark: ${one}`);
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 360, height: 740 });
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      await page.setViewportSize(wide);
      found[path] = [...light, ...dark, ...(width > 360 ? [`${width} wide on a screen of 360`] : [])];
    };
    await page.goto('/');
    await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
    await look('login');
    await stage.logIn(page);
    const inventory = `/inventories/${stage.inventory}`;
    const paths = [
      ...pages,
      `/jobs/${failed}`,
      `/templates/${asking}?tab=survey`,
      `/templates/${asking}?tab=schedules`,
      `/templates/${asking}?tab=notifications`,
      '/hosts?search=web&enabled=true',
      '/credentials/new?credential_type=1',
      `${inventory}?tab=access`,
      '/organizations/1?tab=users',
      '/settings/oidc',
      '/recommendations',
      ...['hosts', 'tasks', 'timeline', 'decision', 'events'].map((tab) => `/jobs/${failed}?tab=${tab}`),
      '/api/v2/',
      `/api/v2${inventory}/`,
    ];
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until(async () => (await page.getByText(/^Loading/).count()) === 0);
      await look(path);
    }
    expect(Object.entries(found).filter(([, problems]) => problems.length)).to.deep.equal([]);
    const animated = await page
      .locator('*')
      .evaluateAll((all) => all.filter((element) => element.getAnimations().length > 0).length);
    expect(animated, 'moving for those who asked for none').to.equal(0);
    await page.context().close();
  });

  it('tells what has no contrast', async () => {
    const page = await stage.fresh({ colorScheme: 'dark' });
    await page.goto('/');
    const heading = page.getByRole('heading', { name: 'Log in to Tapline' });
    await heading.evaluate((element) => Object.assign(element.style, { color: '#222', background: '#000' }));
    expect(await violations(page, ['color-contrast'])).to.have.length(1);
    await page.context().close();
  });
});

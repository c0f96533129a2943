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

  for (const colorScheme of ['light', 'dark'] as const)
    it(`has names, order and contrast in every page, ${colorScheme}`, async () => {
      const page = await stage.fresh({ colorScheme, reducedMotion: 'reduce' });
      await page.goto('/');
      await page.getByRole('heading', { name: 'Log in to Tapline' }).waitFor();
      const found = { login: await violations(page) } as Record<string, string[]>;
      await stage.logIn(page);
      const paths = [
        ...pages,
        `/jobs/${failed}`,
        `/templates/${asking}?tab=survey`,
        `/templates/${asking}?tab=schedules`,
        `/templates/${asking}?tab=notifications`,
        '/hosts?search=web&enabled=true',
        '/credentials/new?credential_type=1',
        `/inventories/${stage.inventory}?tab=access`,
        '/organizations/1?tab=users',
        '/settings/oidc',
        '/recommendations',
        ...['hosts', 'tasks', 'timeline', 'decision', 'events'].map((tab) => `/jobs/${failed}?tab=${tab}`),
        '/api/v2/',
        `/api/v2/inventories/${stage.inventory}/`,
      ];
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await until(async () => (await page.getByText(/^Loading/).count()) === 0);
        found[path] = await violations(page);
      }
      await page.context().close();
      expect(Object.entries(found).filter(([, problems]) => problems.length)).to.deep.equal([]);
    });

  it('fits a narrow screen without scrolling sideways, and moves nothing for those who ask for that', async () => {
    const page = await stage.fresh({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
    await stage.logIn(page);
    const wide: Record<string, number> = {};
    const inventory = `/inventories/${stage.inventory}`;
    for (const path of [
      ...pages,
      `/jobs/${failed}`,
      '/hosts?search=web&enabled=true',
      `${inventory}?tab=access`,
      '/credentials/new?credential_type=1',
      `/api/v2/inventories/${stage.inventory}/`,
    ]) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await until(async () => (await page.getByText(/^Loading/).count()) === 0);
      const width = await page.locator('html').evaluate((element) => element.scrollWidth);
      if (width > 360) wide[path] = width;
    }
    expect(wide).to.deep.equal({});
    const animated = await page
      .locator('*')
      .evaluateAll((all) => all.filter((element) => element.getAnimations().length > 0).length);
    expect(animated).to.equal(0);
    await page.context().close();
  });
});

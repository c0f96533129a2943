import { expect } from 'chai';
import { describeWith } from '../../support/needs.ts';
import { until } from '../../support/until.ts';
import type { Person } from './person.ts';
import { scene } from './scene.ts';

/** Words of buttons and links that change something; whoever has an account may keep a credential of their own. */
const changing =
  /^(?:New(?! credential)|Add|Edit|Copy|Delete|Launch(?! a template)|Save|Update|Create|Cancel|Relaunch|Give|Take|Switch|Approve|Deny|Test|Store|Disable|Enable|Acknowledge|Waive|Accept|Make|Replay)\b/;

describeWith(['chromium'], 'flows of an auditor, who reads all and changes nothing', () => {
  let job: number;
  let template: number;
  const here = scene(
    async (scene) => {
      const { service, make, user } = scene;
      template = (await scene.template('failing.yml', { name: 'Open', extra_vars: 'colour: green' })).id;
      job = (await make(`job_templates/${template}/launch/`, {})).job;
      await user('robin', {}, { [`job_templates/${template}`]: 'execute_role' });
      await service.request('PATCH', `job_templates/${template}/`, { body: { description: 'opens the vault' } });
      await make('credentials/', {
        name: 'Vault key',
        organization: 1,
        credential_type: 1,
        inputs: { username: 'keeper', password: 'hush' },
      });
      await user('ada', { is_system_auditor: true });
      await until(async () => (await service.get(`jobs/${job}/`)).body.event_processing_finished);
    },
    { TAPLINE_PLUGINS: 'console,recommendations,policy,scanning,eda,outbound-webhooks,drift,calendars' },
  );
  let ada: Person;
  const sent: string[] = [];
  beforeEach(async () => {
    ada = await here.person('ada');
    ada.page.removeAllListeners('request').on('request', (request) => {
      if (!['GET', 'OPTIONS', 'HEAD'].includes(request.method())) sent.push(`${request.method()} ${request.url()}`);
    });
  });
  const offered = () => ada.offers(changing);

  it('reads a job that somebody else ran: what failed, on which hosts, with which variables', async () => {
    await ada.opens('Jobs');
    await ada.turnsTo('Failed');
    await ada.follows('Open');
    await ada.within('region', 'What failed').sees('sudo: a password is required');
    for (const [part, text] of Object.entries({ Hosts: 'web1', Tasks: 'Open the vault door', Events: 'web1' })) {
      await ada.turnsTo(part);
      await ada.sees(text);
      expect(await offered(), part).to.deep.equal([]);
    }
    await ada.turnsTo('Variables and decision');
    await ada.row('colour').sees('green', 'template');
  });

  it('takes the list of logins along as a file', async () => {
    await ada.opens('Audit');
    await ada.chooses('Filter by', 'Action');
    await ada.fills('Value of Action', 'login');
    await ada.presses('Add filter');
    await ada.sees('Action contains login');
    const [file] = await Promise.all([ada.page.waitForEvent('download'), ada.follows('Export as CSV')]);
    expect(file.suggestedFilename()).to.equal('audit_events.csv');
  });

  it('finds out who changed a template, when, and what it said before', async () => {
    await ada.opens('Templates');
    await ada.follows('Open');
    await ada.turnsTo('History');
    await ada.row('update').follows('update');
    await ada.sees(/opens the vault/, 'admin');
  });

  it('reads who may launch it, and why', async () => {
    await ada.opens('Templates');
    await ada.follows('Open');
    await ada.turnsTo('Access');
    await ada.row('robin').sees('Execute');
    await ada.row('admin').sees('System Administrator');
    expect(await offered()).to.deep.equal([]);
  });

  it('sees that a credential is there and who uses it, and not what it holds', async () => {
    await ada.opens('Credentials');
    await ada.follows('Vault key');
    await ada.sees('$encrypted$', 'keeper');
    expect(await ada.page.content()).to.not.include('hush');
    expect(await offered()).to.deep.equal([]);
  });

  it('reads the settings and where each comes from', async () => {
    await ada.opens('Settings');
    await ada.follows('Security');
    await ada.sees('You may look at these, but not change them.');
    await ada.opens('Settings');
    await ada.searchesFor('max_forks');
    await ada.row('Max forks').sees('200', 'default');
  });

  it('opens every page of the menu and is offered nothing that changes anything', async () => {
    const found: Record<string, string[]> = {};
    const menu = await ada.within('navigation', 'Main').addresses();
    expect(menu).to.include.members(['/audit', '/settings', '/drift', '/policies', '/scanners', '/plugins']);
    for (const address of menu.filter((one) => one !== '/setup' && one !== '/tokens')) {
      await ada.visits(address);
      if (address === '/jobs') await ada.checks('Select all of this page');
      const there = await offered();
      if (there.length) found[address] = there;
    }
    expect(found).to.deep.equal({});
  });

  it('gets a clear no where an address would change something, and has sent nothing that would', async () => {
    const answers: Record<string, RegExp> = {
      [`/templates/${template}/edit`]: /^You may not change this template\.$/,
      '/templates/new': /^You may not create any template\.$/,
      '/inventories/new': /^You may not create any inventory\.$/,
      '/event_rules/new': /^You may not create any event rule\.$/,
      [`/templates/${template}/launch`]: /^You may see this template, but not launch it\.$/,
    };
    for (const [address, answer] of Object.entries(answers)) {
      await ada.goesTo(address);
      await ada.sees(answer);
    }
    expect(sent).to.deep.equal([]);
    const { body } = await here.service.get('audit_events/?actor__username=ada&not__action=login');
    expect(body.results.map(({ action }: any) => action)).to.deep.equal([]);
  });
});

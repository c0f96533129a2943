import { expect } from 'chai';
import { describeWith } from '../../support/needs.ts';
import { adminPassword } from '../../support/service.ts';
import type { Person } from './person.ts';
import { scene } from './scene.ts';

describeWith(['chromium'], 'flows of an administrator: who may do what, what was done, and the service itself', () => {
  const here = scene(async ({ template, make, user }) => {
    await template('greet.yml', { name: 'Greet' });
    await user('robin');
    await make('teams/', { name: 'Keepers', organization: 1 });
    await make('organizations/', { name: 'Second' });
  });
  let admin: Person;
  beforeEach(async () => {
    admin = await here.person();
  });

  it('lets a team launch a template, and reads why one of its people may', async () => {
    await admin.opens('Teams');
    await admin.follows('Keepers');
    await admin.turnsTo('Members');
    await admin.picks('user to add', 'robin');
    await admin.presses('Add user');
    await admin.has('button', 'Take off robin');
    await admin.opens('Templates');
    await admin.follows('Greet');
    await admin.turnsTo('Access');
    await admin.presses('Give a role');
    await admin.chooses('To', 'A team');
    await admin.picks('Team', 'Keepers');
    await admin.chooses('Role', 'Execute');
    await admin.presses('Give role');
    await admin.row('robin').sees('Execute', 'as member of team Keepers');
    const robin = await here.person('robin');
    await robin.opens('Templates');
    await robin.has('link', 'Launch Greet');
    await admin.row('robin').presses('Take Execute from team Keepers');
    await admin.isTold('Execute is taken from team Keepers.');
    await robin.goesTo('/templates');
    await robin.sees('There is no template yet.');
  });

  it('gives a program a token that only reads, and takes it back', async () => {
    await admin.opens('Tokens');
    await admin.follows('New token');
    await admin.fills('Description', 'For the till');
    await admin.fills('Scope', 'read');
    await admin.presses('Create token');
    const token = (await admin.page.locator('dialog pre').textContent())!.trim();
    const till = async (method: string) =>
      (await here.service.request(method, 'labels/', { auth: token, body: method === 'GET' ? undefined : {} })).status;
    expect([await till('GET'), await till('POST')]).to.deep.equal([200, 403]);
    await admin.dialog('Token').presses('I have it');
    await admin.isAt('For the till');
    await admin.presses('Delete');
    await admin.dialog().presses('Delete token');
    await admin.isAt('Tokens');
    expect(await till('GET')).to.equal(401);
  });

  it('finds who changed a template and what it was before, and takes the evidence along', async () => {
    const { id } = await here.template('greet.yml', { name: 'Touched', description: 'as it was' });
    await here.service.request('PATCH', `job_templates/${id}/`, { body: { description: 'as it is' } });
    await admin.opens('Audit');
    await admin.chooses('Filter by', 'Object name');
    await admin.fills('Value of Object name', 'Touched');
    await admin.presses('Add filter');
    await admin.sees('Object name contains Touched');
    await admin.follows('update');
    await admin.sees(/as it was/, /as it is/);
    await admin.goesBack();
    const [file] = await Promise.all([admin.page.waitForEvent('download'), admin.follows('Export as CSV')]);
    expect(file.suggestedFilename()).to.equal('audit_events.csv');
    await admin.opens('Templates');
    await admin.follows('Touched');
    await admin.turnsTo('History');
    await admin.row('update').follows('update');
    await admin.sees(/as it was/, 'admin');
  });

  it('looks for a setting by what it does, changes it, and sees later that it was changed here', async () => {
    await admin.opens('Settings');
    await admin.searchesFor('max_forks');
    await admin.follows('Max forks');
    await admin.isAt('Settings: Jobs');
    await admin.fills('Max forks', '-5');
    await admin.presses('Save');
    await admin.isWarned('Some fields need another value.');
    await admin.fills('Max forks', '50');
    await admin.presses('Save');
    await admin.isTold(/saved/);
    await admin.opens('Settings');
    await admin.searchesFor('max_forks');
    await admin.row('Max forks').sees('50', 'changed here');
  });

  it('is away so long that the session ends within a form, and goes on where it was', async () => {
    await admin.opens('Organizations');
    await admin.follows('New organization');
    await admin.fillsIn({ Name: 'Not lost', Description: 'typed over a long coffee' });
    await admin.settles();
    await here.service.services.db('sessions').delete();
    await admin.presses('Create organization');
    const again = admin.dialog('Log in again');
    await again.sees(/^Your session has ended/);
    await again.fillsIn({ 'User name': 'admin', Password: adminPassword });
    await again.presses('Log in');
    expect(await admin.holds('Description')).to.equal('typed over a long coffee');
    await admin.presses('Create organization');
    await admin.isAt('Not lost');
  });

  it('goes back and forward through a narrowed list, and sends its address to somebody', async () => {
    for (const name of ['app1', 'app2', 'db1']) await here.make('hosts/', { name, inventory: here.inventory });
    await admin.opens('Hosts');
    await admin.searchesFor('app');
    await admin.sees('2 hosts');
    await admin.chooses('Filter by', 'Enabled');
    await admin.chooses('Value of Enabled', 'No');
    await admin.presses('Add filter');
    await admin.sees('No host fits.');
    await admin.goesBack();
    await admin.sees('2 hosts');
    await admin.follows('app2');
    await admin.isAt('app2');
    await admin.goesBack();
    await admin.sees('Search: app', '2 hosts');
    await admin.goesForward();
    await admin.isAt('app2');
    await admin.goesTo('/hosts?search=app&enabled=true');
    await admin.sees('Search: app', 'Enabled: yes', '2 hosts');
    await admin.follows('Remove filter Search: app');
    await admin.sees('5 hosts');
  });

  it('gets about without a mouse: to a page, to a record, to a launch', async () => {
    await admin.callsPalette();
    await admin.types('credential typ');
    await admin.dialog().has('option', /^Credential types/);
    await admin.strikes('Enter');
    await admin.isAt('Credential types');
    await admin.callsPalette();
    await admin.types('robin');
    await admin.dialog().has('option', /^robin\s*User/);
    await admin.strikes('Enter');
    await admin.isAt('robin');
    await admin.callsPalette();
    await admin.types('greet');
    await admin.dialog().has('option', /^Launch Greet/);
    await admin.dialog().has('option', /^Greet\s*Template/);
    await admin.strikes('ArrowUp', 'Enter');
    await admin.isAt('Launch Greet');
    await admin.strikes('?');
    await admin.dialog('Keys').sees('Ctrl or Cmd + K');
    await admin.strikes('Escape');
  });

  it('follows a recommendation to what there is to do about it', async () => {
    await admin.opens('Recommendations');
    await admin.sees('Multiple organizations without tenancy');
    await admin.follows(/^Go there ?: Multiple organizations without tenancy$/);
    await admin.isAt('Give each organization its own limits');
    expect(await admin.reads('heading', /^Make an organization for each of them/)).to.match(/Done$/);
    expect(await admin.reads('heading', /^Switch on the plugin tenancy/)).to.match(/To do$/);
    await admin.follows('See the plugins');
    await admin.isAt('Plugins');
  });
});

import { rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../../core/testing/remove-folder.ts';
import { type HttpTarget, httpTarget } from '../../notifications/servers.ts';
import { SourceRepository } from '../../scm/repository.ts';
import { describeWith } from '../../support/needs.ts';
import { until } from '../../support/until.ts';
import type { Person } from './person.ts';
import { scene } from './scene.ts';

describeWith(['chromium'], 'flows of an administrator: what runs, when, for whom and on which hosts', () => {
  const repository = new SourceRepository();
  repository.commit({ 'hosts.ini': '[tills]\ntill1\ntill2\n' });
  let target: HttpTarget;
  const here = scene(
    async ({ make, template, user, release }) => {
      for (const name of ['Build', 'Deploy']) await template('greet.yml', { name });
      const extra_vars = JSON.stringify({ release });
      await template('held.yml', { name: 'Hold', extra_vars, allow_simultaneous: true });
      await user('chief', { is_superuser: true });
      await make('projects/', { name: 'Tills', organization: 1, scm_type: 'git', scm_url: repository.url });
      target = await httpTarget();
    },
    { TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1', TAPLINE_PROJECT_FILE_URLS: repository.folder },
  );
  after(async () => {
    await target?.stop();
    removeFolder(dirname(repository.folder));
  });

  let admin: Person;
  beforeEach(async () => {
    admin = await here.person();
  });

  it('builds a workflow that deploys what was built once somebody agrees', async () => {
    await admin.opens('Workflows');
    await admin.follows('New workflow');
    await admin.fills('Name', 'Ship');
    await admin.picks('Organization', 'Default');
    await admin.presses('Create workflow');
    await admin.isAt('Ship');
    await admin.turnsTo('Graph');
    await admin.presses('Add a node');
    await admin.picks('Template', 'Build');
    await admin.dialog().presses('Add node');
    await admin.presses('Add a node after it');
    await admin.dialog().chooses('Kind', 'Approval');
    await admin.dialog().fills('Name', 'Shall it go live?');
    await admin.dialog().presses('Add node');
    await admin.within('region', 'Shall it go live?').presses('Add a node after it');
    await admin.picks('Template', 'Deploy');
    await admin.dialog().presses('Add node');
    const graph = admin.within('application', 'Graph of Ship');
    await graph.has('button', /^Build, Job template\. On success: Shall it go live\?/);
    await graph.has('button', /^Shall it go live\?, .*On success: Deploy/);
  });

  const chief = () => here.person('chief');
  const launchesShip = async () => {
    await admin.opens('Workflows');
    await admin.follows('Launch Ship');
    await admin.presses('Launch');
    await admin.sees('Waits for approval');
  };
  const decides = async (word: 'Approve' | 'Deny', why: string) => {
    const other = await chief();
    await other.opens('Approvals');
    await other.presses(`${word} Shall it go live?`);
    await other.dialog().fills('Comment', why);
    await other.dialog().presses(word);
    await other.isTold(/Shall it go live\? is (?:approved|denied)/);
  };

  it('watches a workflow until a second pair of eyes lets it go on', async () => {
    await launchesShip();
    expect(await admin.isOffered('Approve')).to.deep.equal([]);
    await decides('Approve', 'Seen, and good.');
    await admin.row('Deploy').sees('Successful');
    await admin.within('table', 'Nodes of this run').row('Shall it go live?').sees('Approved');
  });

  it('is refused, and reads by whom and why', async () => {
    await launchesShip();
    await decides('Deny', 'Not on a Friday.');
    await admin.within('table', 'Nodes of this run').row('Deploy').sees('Not run');
    await admin.opens('Approvals');
    await admin.within('table', 'Approvals that are decided').rowWith('Denied').follows('Shall it go live?');
    await admin.turnsTo('Votes');
    await admin.row('chief').sees('Not on a Friday.');
  });

  it('has a template launched every night, and pauses that for the holidays', async () => {
    await admin.opens('Templates');
    await admin.follows('Build');
    await admin.turnsTo('Schedules');
    await admin.follows('Add schedule');
    await admin.fillsIn({ Name: 'Nightly', Start: '2030-01-15T03:00' });
    await admin.chooses('Time zone', 'Europe/Berlin');
    await admin.chooses('Repeated by', 'Days');
    await admin.sees('Every day at 03:00 (Europe/Berlin), from 15 January 2030.');
    await admin.presses('Create schedule');
    await admin.isAt('Nightly');
    await admin.presses('Switch off Nightly');
    await admin.isTold('Nightly is switched off.');
    await admin.opens('Schedules');
    await admin.row('Nightly').has('button', 'Switch on Nightly');
    expect((await here.service.get('schedules/?name=Nightly')).body.results[0]).to.include({
      enabled: false,
      next_run: null,
    });
  });

  it('has a chat told of failures, and mends the address when the first word of it does not arrive', async () => {
    target.answer = ({ url }) => ({ status: url === '/chat' ? 200 : 404 });
    await admin.opens('Notification templates');
    await admin.follows('New notification template');
    await admin.fills('Name', 'Chat');
    await admin.picks('Organization', 'Default');
    await admin.chooses('Notification type', 'Webhook');
    await admin.fills('Target URL', `${target.url}/chta`);
    await admin.presses('Create notification template');
    await admin.isAt('Chat');
    await admin.presses('Test Chat');
    await admin.within('table', 'Deliveries').rowWith('Failed').sees(/404/);
    await admin.follows('Edit');
    await admin.fills('Target URL', `${target.url}/chat`);
    await admin.presses('Save');
    await admin.isAt('Chat');
    await admin.presses('Test Chat');
    await admin
      .within('table', 'Deliveries')
      .rowWith('Successful')
      .sees(/^Delivery/);

    await admin.opens('Templates');
    await admin.follows('Deploy');
    await admin.turnsTo('Notifications');
    await admin.row('Chat').checks(/^Failure/);
  });

  it('stops several jobs that hang, at once', async () => {
    rmSync(here.release, { force: true });
    const { id } = (await here.service.get('job_templates/?name=Hold')).body.results[0];
    for (let i = 0; i < 2; i++) await here.make(`job_templates/${id}/launch/`, {});
    await admin.opens('Jobs');
    await admin.turnsTo('Running and waiting');
    await until(async () => (await admin.counts('link', 'Hold')) === 2);
    await admin.checks('Select all of this page');
    await admin.presses('Cancel 2');
    await admin.dialog('Cancel 2 runs?').presses('Cancel 2 runs');
    await admin.sees('There is none of these.');
    writeFileSync(here.release, '');
  });

  it('gathers hosts by what they are called, and sees while typing which those are', async () => {
    for (const name of ['web2', 'db1']) await here.make('hosts/', { name, inventory: here.inventory });
    await admin.opens('Inventories');
    await admin.follows('New inventory');
    await admin.fills('Name', 'All that serve pages');
    await admin.picks('Organization', 'Default');
    await admin.chooses('Kind', 'Hosts found by a filter');
    await admin.fills(/^Host filter/, 'name_startswith=web');
    await admin.sees(/^host_filter: /);
    await admin.fills(/^Host filter/, 'name__startswith=web');
    await admin.sees('It takes in 2 hosts: web1, web2');
    await admin.presses('Create inventory');
    await admin.isAt('All that serve pages');
    await admin.turnsTo('Hosts');
    await admin.sees('2 hosts');
  });

  it('puts one group below another, and finds its hosts in the tree', async () => {
    const { inventory } = here;
    const [{ id: host }] = (await here.service.get('hosts/?name=db1')).body.results;
    const group = await here.make('groups/', { name: 'databases', inventory });
    await here.service.post(`groups/${group.id}/hosts/`, { id: host });
    await admin.opens('Inventories');
    await admin.follows('Production');
    await admin.turnsTo('Groups');
    await admin.follows('Add group');
    await admin.fills('Name', 'backend');
    await admin.presses('Create group');
    await admin.isAt('backend');
    await admin.turnsTo('Groups within');
    await admin.picks('group to add', 'databases');
    await admin.presses('Add group');
    await admin.has('button', 'Take off databases');
    await admin.opens('Inventories');
    await admin.follows('Production');
    await admin.turnsTo('Tree');
    await admin.unfolds('backend');
    await admin.unfolds('databases');
    await admin.follows('db1');
    await admin.isAt('db1');
  });

  it('takes the hosts from a file of the project, and keeps them up to date', async () => {
    await admin.opens('Inventories');
    await admin.follows('Production');
    await admin.turnsTo('Sources');
    await admin.follows('Add source');
    await admin.fills('Name', 'Tills of the shop');
    await admin.chooses('Source', 'Sourced from a Project');
    await admin.picks('Source project', 'Tills');
    await admin.fills('Source path', 'hosts.ini');
    await admin.presses('Create source');
    await admin.isAt('Tills of the shop');
    await admin.presses('Update Tills of the shop');
    await admin.isTold(/^Inventory update \d+: Successful$/);
    await admin.opens('Hosts');
    await admin.searchesFor('till');
    await admin.sees('2 hosts');
    await admin.follows('till2');
    await admin.isAt('till2');
  });
});

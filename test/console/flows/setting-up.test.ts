import { generateKeyPairSync } from 'node:crypto';
import { dirname } from 'node:path';
import { expect } from 'chai';
import { removeFolder } from '../../../core/testing/remove-folder.ts';
import { SourceRepository } from '../../scm/repository.ts';
import { describeWith } from '../../support/needs.ts';
import { local, play } from '../stage.ts';
import type { Person } from './person.ts';
import { scene } from './scene.ts';
import { counted, promised, told } from './steps.ts';

/** That of the README's first steps. */
const site = `- name: Look after the web servers
  hosts: web
  tasks:
    - name: Say which release this is
      ansible.builtin.debug:
        msg: "{{ inventory_hostname }} gets release {{ release }}"
`;
/** Needs no key: it asks for nothing but a host. */
const here = `- hosts: all
  connection: local
  gather_facts: false
  tasks:
    - debug: {msg: "{{ inventory_hostname }} is looked after"}
`;
const counting =
  '    - name: Count the crates\n      debug: {msg: "crate {{ item }}"}\n      loop: "{{ range(1, 61) | list }}"\n' +
  '    - name: Close the store\n      fail: {msg: "the store does not close"}\n';

describeWith(
  ['chromium'],
  'flows of an administrator: from nothing to a job, and what makes the next one better',
  () => {
    const repository = new SourceRepository();
    repository.commit({ 'site.yml': site, 'here.yml': here });
    const stage = scene(
      async () => undefined,
      { TAPLINE_PROJECT_FILE_URLS: repository.folder },
      { more: { 'count.yml': play(counting) } },
    );
    after(() => removeFolder(dirname(repository.folder)));

    let admin: Person;
    beforeEach(async () => {
      admin = await stage.person();
    });
    const ends = (status: string) => admin.isTold(new RegExp(`^Job \\d+: ${status}$`));

    it('wants to see what this does, led by the guide: repository, host, template, output', async () => {
      admin.steps.length = 0;
      await admin.opens('Set up');
      await admin.fillsIn({ Name: 'Trial', 'Address of the repository': repository.url });
      await admin.presses('Connect');
      await admin.isTold('Trial is connected.');
      await admin.presses(/: List your hosts$/);
      await admin.fillsIn({ 'Name of the new inventory': 'Trial hosts', Host: 'trial1' });
      await admin.presses('Add host');
      await admin.isTold('trial1 is listed.');
      await admin.presses(/: Make a template$/);
      await admin.fills('Name', 'Try it');
      await admin.chooses('Project', 'Trial');
      await admin.chooses('Playbook', 'here.yml');
      await admin.chooses('Inventory', 'Trial hosts');
      await admin.presses('Make template');
      await admin.isTold('Try it can be launched.');
      await admin.presses(/: Launch it$/);
      await admin.follows('Launch Try it');
      await admin.presses('Launch');
      await admin.sees('trial1 is looked after');
      expect(counted(admin.steps)).to.equal(promised('Here, led by the guide'));
      await ends('Successful');
    });

    it('does the same page by page, as somebody does who knows the way', async () => {
      admin.steps.length = 0;
      await admin.opens('Projects');
      await admin.follows('New project');
      await admin.fills('Name', 'Second');
      await admin.picks('Organization', 'Default');
      await admin.chooses('Scm type', 'Git');
      await admin.fills('Scm url', repository.url);
      await admin.presses('Create project');
      await admin.isAt('Second');
      await admin.opens('Inventories');
      await admin.follows('New inventory');
      await admin.fills('Name', 'Second hosts');
      await admin.finds('Organization', 'Default');
      await admin.presses('Create inventory');
      await admin.isAt('Second hosts');
      await admin.turnsTo('Hosts');
      await admin.follows('Add host');
      await admin.fills('Name', 'second1');
      await admin.presses('Create host');
      await admin.isAt('second1');
      await admin.opens('Templates');
      await admin.follows('New template');
      await admin.fills('Name', 'Look again');
      await admin.picks('Inventory', 'Second hosts');
      await admin.picks('Project', 'Second');
      await admin.fills('Playbook', 'here.yml');
      await admin.presses('Create template');
      await admin.isAt('Look again');
      await admin.follows('Launch Look again');
      await admin.presses('Launch');
      await admin.sees('second1 is looked after');
      expect(counted(admin.steps)).to.equal(promised('Here, page by page'));
      await ends('Successful');
    });

    it('wants to run a playbook of their own: from the repository to the output of a first job, as the README tells', async () => {
      admin.steps.length = 0;
      await admin.opens('Projects');
      await admin.follows('New project');
      await admin.fills('Name', 'Web farm');
      await admin.picks('Organization', 'Default');
      await admin.chooses('Scm type', 'Git');
      await admin.fills('Scm url', repository.url);
      await admin.presses('Create project');
      await admin.isAt('Web farm');
      await admin.turnsTo('Updates');
      await admin.sees('Successful');
      await admin.turnsTo('Playbooks');
      await admin.sees('site.yml');

      await admin.opens('Inventories');
      await admin.follows('New inventory');
      await admin.fills('Name', 'Live');
      await admin.finds('Organization', 'Default');
      await admin.presses('Create inventory');
      await admin.isAt('Live');
      await admin.turnsTo('Hosts');
      await admin.follows('Add host');
      await admin.fillsIn({ Name: 'shop1', Variables: local });
      await admin.presses('Create host');
      await admin.isAt('shop1');
      await admin.opens('Inventories');
      await admin.follows('Live');
      await admin.turnsTo('Groups');
      await admin.follows('Add group');
      await admin.fills('Name', 'web');
      await admin.presses('Create group');
      await admin.isAt('web');
      await admin.turnsTo('Hosts');
      await admin.picks('host to add', 'shop1');
      await admin.presses('Add host');
      await admin.has('button', 'Take off shop1');

      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      await admin.opens('Credentials');
      await admin.follows('New credential');
      await admin.fills('Name', 'Deploy key');
      await admin.picks('Organization', 'Default');
      await admin.picks('Credential type', 'Machine');
      await admin.fills('Username', 'deploy');
      await admin.fills('SSH Private Key', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
      await admin.presses('Create credential');
      await admin.isAt('Deploy key');
      await admin.sees('$encrypted$');

      await admin.opens('Templates');
      await admin.follows('New template');
      await admin.fills('Name', 'Release');
      await admin.picks('Inventory', 'Live');
      await admin.picks('Project', 'Web farm');
      await admin.fills('Playbook', 'site.yml');
      await admin.checks('Ask variables on launch');
      await admin.presses('Create template');
      await admin.isAt('Release');
      await admin.turnsTo('Credentials');
      await admin.picks('credential to add', 'Deploy key');
      await admin.presses('Add credential');
      await admin.has('button', 'Take off Deploy key');

      await admin.follows('Launch Release');
      await admin.fills('Extra variables', 'release: "1.4"');
      await admin.presses('Launch');
      await admin.sees('shop1 gets release 1.4');
      await ends('Successful');
      const steps = JSON.stringify(admin.steps).replaceAll('"Live"', '"Production"');
      expect(JSON.parse(steps)).to.deep.equal(told());
    });

    it('finds out why a job failed, mends it where it is wrong, and runs it again', async () => {
      await admin.opens('Templates');
      await admin.follows('Launch Release');
      await admin.presses('Launch');
      await ends('Failed');
      await admin.within('region', 'What failed').sees(/'release' is undefined/, 'shop1');

      await admin.opens('Inventories');
      await admin.follows('Live');
      await admin.turnsTo('Groups');
      await admin.follows('web');
      await admin.follows('Edit');
      await admin.fills('Variables', 'release: "1.5"');
      await admin.presses('Save');
      await admin.isAt('web');

      await admin.opens('Jobs');
      await admin.turnsTo('Failed');
      await admin.follows('Release');
      await admin.presses('Relaunch on failed hosts');
      await admin.sees('shop1 gets release 1.5');
      await ends('Successful');
    });

    it('lets people choose a release by a question instead of by variables', async () => {
      await admin.opens('Templates');
      await admin.follows('Release');
      await admin.turnsTo('Survey');
      await admin.presses('Add question');
      await admin.fillsIn({ Question: 'Which release?', Variable: 'release' });
      await admin.chooses('Type of the answer', 'One of several');
      await admin.fillsIn({ 'Choices, one a line': '2.0\n2.1', Default: '2.2' });
      await admin.presses('Store question');
      await admin.isWarned('default is none of the choices');
      await admin.fills('Default', '2.0');
      await admin.presses('Store question');
      await admin.has('button', 'Edit Which release?');
      await admin.checks('Ask these questions at each launch');
      await admin.follows('Launch Release');
      await admin.chooses('Which release?', '2.1');
      await admin.presses('Launch');
      await admin.sees('shop1 gets release 2.1');
      await ends('Successful');
      await admin.turnsTo('Variables and decision');
      await admin.row('release').sees('2.1', 'survey answer');
    });

    it('looks for one line in a long output, and sends a colleague to where it failed', async () => {
      await stage.template('count.yml', { name: 'Count' });
      await admin.opens('Templates');
      await admin.follows('Launch Count');
      await admin.presses('Launch');
      await ends('Failed');
      await admin.searchesFor('crate 42');
      await admin.sees(/^Line \d+$/, /crate 42/);
      expect(admin.address).to.match(/find=crate\+?.42&line=\d+/);
      await admin.presses('Next failure');
      await admin.sees(/^fatal: \[web1\]: FAILED!/);
      const { address } = admin;
      await admin.opens('Overview');
      await admin.goesTo(address);
      await admin.sees(/^fatal: \[web1\]: FAILED!/);
    });

    it('copies a template to try something without touching the first', async () => {
      await admin.opens('Templates');
      await admin.follows('Release');
      await admin.presses('Copy');
      await admin.dialog('Copy Release').fills('Name of the copy', 'Release to staging');
      await admin.dialog('Copy Release').presses('Copy');
      await admin.isAt('Release to staging');
      await admin.turnsTo('Survey');
      await admin.sees('Which release?');
    });

    it('wants to know what breaks before a key is changed', async () => {
      await admin.opens('Credentials');
      await admin.follows('Deploy key');
      await admin.turnsTo('Where used');
      const templates = admin.within('region', 'Templates');
      await templates.has('link', 'Release');
    });

    it('has kept what jobs learn of hosts, and reads it', async () => {
      await admin.opens('Templates');
      await admin.follows('Release');
      await admin.follows('Edit');
      await admin.unfolds('More');
      await admin.checks('Use fact cache');
      await admin.presses('Save');
      await admin.isAt('Release');
      await admin.follows('Launch Release');
      await admin.presses('Launch');
      await admin.sees('shop1 gets release 2.0');
      await ends('Successful');
      await admin.opens('Hosts');
      await admin.follows('shop1');
      await admin.turnsTo('Facts');
      await admin.has('rowheader', 'ansible_architecture');
      await admin.searchesFor('ansible_distribution');
      await admin.sees(/^\d of \d{2,} facts$/, 'ansible_distribution_version');
      expect(await admin.counts('rowheader', 'ansible_architecture')).to.equal(0);
      await admin.row('ansible_distribution').sees('Debian');
    });
  },
);

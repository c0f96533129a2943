import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../core/config/config.ts';
import { play, SourceRepository } from '../scm/repository.ts';
import { describeWith } from '../support/needs.ts';
import { adminPassword, startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { removeFolder } from '../../core/testing/remove-folder.ts';

interface Ended {
  label: string;
  argv: string[];
  code: number;
  said: string;
  trouble: string;
}

const here = { ansible_connection: 'local', ansible_python_interpreter: '{{ ansible_playbook_python }}' };
const ships = `all: {children: {sailing: {hosts: {bark: ${JSON.stringify(here)}, brig: ${JSON.stringify(here)}}}}}\n`;
const survey = {
  name: 'Course',
  description: '',
  spec: [{ question_name: 'Where to?', variable: 'course', type: 'text', required: true, default: '' }],
};
const fields = { fields: [{ id: 'token', type: 'string', label: 'Token', secret: true }] };

/** What the client offers though no server has a path for it. */
const onlyListed = ['unified_job_templates get', 'unified_jobs get'];

describeWith(['awx', 'git'], 'The awx command line client, of every kind of record', function () {
  this.timeout(600_000);
  let service: TestService;
  let source: SourceRepository;
  let home: string;

  before(async () => {
    source = new SourceRepository();
    source.commit({ 'site.yml': play, 'ships.yml': ships });
    service = await startService({ TAPLINE_PROJECT_FILE_URLS: dirname(source.folder) });
    home = mkdtempSync(join(tmpdir(), 'tapline-awx-'));
  });
  after(async () => {
    await service?.stop();
    if (home) removeFolder(home);
  });

  const environment = () => ({
    PATH: process.env.PATH,
    HOME: home,
    PYTHONWARNINGS: 'ignore',
    CONTROLLER_HOST: service.url,
    CONTROLLER_USERNAME: 'admin',
    CONTROLLER_PASSWORD: adminPassword,
    CONTROLLER_COLOR: 'f',
  });
  const start = (program: string, args: string[], stdin = ''): Promise<string> =>
    new Promise((resolve, reject) => {
      const options = { env: environment(), maxBuffer: 100_000_000 };
      const child = execFile(join(root, '.tools', 'awx', 'bin', program), args, options, (error, stdout, stderr) =>
        error ? reject(new Error(stdout + stderr)) : resolve(stdout),
      );
      child.stdin?.end(stdin);
    });
  const run = async (args: string[], steps: [label: string, line: string][] = []): Promise<Ended[]> =>
    JSON.parse(await start('python', [join(import.meta.dirname, 'commands.py'), ...args], JSON.stringify(steps)));

  /** What the commands said, by their labels; throws at the first that fails. */
  async function told(...steps: [label: string, line: string][]): Promise<Map<string, string>> {
    const ended = await run([], steps);
    const failed = ended.find(({ code }) => code);
    if (failed) throw new Error(`awx ${failed.argv.join(' ')}:\n${failed.said}\n${failed.trouble}`);
    expect(ended).to.have.length(steps.length);
    return new Map(ended.map(({ label, said }) => [label, said]));
  }
  const wait = '--wait --interval 0.2';

  it('makes and uses inventories of all kinds, and their sources', async () => {
    const said = await told(
      ['', 'organizations create --name Harbour'],
      ['', `projects create --name Charts --organization Harbour --scm_type git --scm_url ${source.url} --wait`],
      ['', 'inventory create --name Ships --organization Harbour'],
      [
        '',
        'inventory_sources create --name Charted --inventory Ships --source scm --source_project Charts --source_path ships.yml',
      ],
      ['update', `inventory_sources update Charted ${wait}`],
      ['', 'inventory_sources modify Charted --overwrite true'],
      ['', 'inventory_updates get @update'],
      ['output', 'inventory_updates stdout @update'],
      ['brigs', 'inventory create --name Brigs --organization Harbour --kind smart --host_filter name=brig'],
      ['fleet', `constructed_inventory create --name Fleet --organization Harbour --source_vars 'plugin: constructed'`],
      ['', 'constructed_inventory modify @fleet --limit brig'],
      [
        'command',
        `ad_hoc_commands create --inventory Ships --limit brig --credential 'Demo Credential' --module_name command --module_args 'echo ahoy'`,
      ],
    );
    // its own waiting for these stumbles over an interval that it does not hand on
    const { id } = JSON.parse(said.get('command')!);
    await until(async () => (await service.get(`ad_hoc_commands/${id}/`)).body.finished);
    const ended = await told(['ahoy', `ad_hoc_commands stdout ${id}`], ['metrics', 'host_metrics list']);
    expect(JSON.parse(said.get('update')!)).to.include({ type: 'inventory_update', status: 'successful' });
    expect(said.get('output')).to.match(/\S/);
    const brigs = await service.get(`inventories/${JSON.parse(said.get('brigs')!).id}/hosts/`);
    expect(brigs.body.results.map(({ name }: any) => name)).to.deep.equal(['brig']);
    expect(ended.get('ahoy')).to.contain('ahoy');
    expect(JSON.parse(ended.get('metrics')!).results).to.be.an('array');
  });

  it('makes credential types, credentials from elsewhere, surveys, places and role definitions', async () => {
    // the client takes no list where JSON is wanted
    const definition = { name: 'Charts reader', content_type: 'awx.project', permissions: ['awx.view_project'] };
    expect((await service.post('role_definitions/', definition)).status).to.equal(201);
    const vault = '{"url": "http://127.0.0.1:9", "api_version": "v2", "token": "t"}';
    const said = await told(
      ['', `credential_types create --name Lighthouse --kind cloud --inputs '${JSON.stringify(fields)}'`],
      ['', `credential_types modify Lighthouse --injectors '{"env": {"LIGHT": "{{ token }}"}}'`],
      [
        'light',
        `credentials create --name Light --organization Harbour --credential_type Lighthouse --inputs '{"token": "hidden"}'`,
      ],
      [
        'vault',
        `credentials create --name Vault --organization Harbour --credential_type 'HashiCorp Vault Secret Lookup' --inputs '${vault}'`,
      ],
      [
        'input',
        `credential_input_sources create --target_credential @light --source_credential @vault --input_field_name token --metadata '{"secret_path": "/a", "secret_key": "b"}'`,
      ],
      ['', `credential_input_sources modify @input --description 'from elsewhere'`],
      ['', 'credential_input_sources delete @input'],
      ['', 'instance_groups create --name quay --max_forks 4'],
      ['place', 'instance_groups modify quay --max_forks 5'],
      ['', 'execution_environments create --name Plain --image quay.example.org/plain:1 --organization Harbour'],
      [
        'template',
        'job_templates create --name Sail --project Charts --inventory Ships --playbook site.yml --survey_enabled true',
      ],
      ['', `role_definitions modify 'Charts reader' --description reads`],
      ['system', 'system_job_templates list'],
      ['', 'system_jobs list'],
      ['activity', 'activity_stream list --operation create'],
    );
    expect(JSON.parse(said.get('light')!).inputs).to.deep.equal({ token: '$encrypted$' });
    expect(JSON.parse(said.get('place')!)).to.include({ name: 'quay', max_forks: 5 });
    expect(JSON.parse(said.get('system')!).count).to.be.greaterThan(0);
    expect(JSON.parse(said.get('activity')!).count).to.be.greaterThan(10);
    const { id } = JSON.parse(said.get('template')!);
    expect((await service.post(`job_templates/${id}/survey_spec/`, survey)).status).to.equal(200);
  });

  it('makes workflows with nodes, schedules and notifications, launches one and looks at what it did', async () => {
    const configuration = '{"url": "http://127.0.0.1:9/watch", "headers": {}, "http_method": "POST"}';
    const said = await told(
      ['sail', 'job_templates modify Sail --ask_variables_on_launch true'],
      [
        '',
        `notification_templates create --name Watch --organization Harbour --notification_type webhook --notification_configuration '${configuration}'`,
      ],
      ['watch', `notification_templates modify Watch --description 'all night'`],
      ['voyage', 'workflow_job_templates create --name Voyage --organization Harbour --ask_variables_on_launch true'],
      [
        'first',
        `workflow_job_template_nodes create --workflow_job_template @voyage --unified_job_template @sail --identifier first --extra_data '{"course": "west"}'`,
      ],
      ['node', `workflow_job_template_nodes modify @first --extra_data '{"course": "east"}'`],
      ['', 'workflow_job_templates associate Voyage --success_notification Watch'],
      ['', 'workflow_job_templates associate Voyage --approval_notification Watch'],
      [
        'weekly',
        `schedules create --name weekly --unified_job_template @voyage --rrule 'DTSTART:20300107T060000Z RRULE:FREQ=WEEKLY;INTERVAL=1'`,
      ],
      ['idle', 'schedules modify weekly --enabled false'],
      ['run', 'workflow_job_templates launch Voyage --monitor'],
      ['jobs', 'workflow_jobs list --name Voyage'],
    );
    expect(JSON.parse(said.get('watch')!).description).to.equal('all night');
    expect(JSON.parse(said.get('node')!).extra_data).to.deep.equal({ course: 'east' });
    expect(JSON.parse(said.get('idle')!)).to.include({ enabled: false, next_run: null });
    const [job] = JSON.parse(said.get('jobs')!).results;
    expect(job).to.include({ status: 'successful' });
    const looked = await told(
      ['nodes', `workflow_job_nodes list --workflow_job ${job.id}`],
      ['', 'workflow_job_templates disassociate Voyage --success_notification Watch'],
      ['approvals', 'workflow_approvals list'],
      ['sent', 'notifications list'],
      ['', 'schedules delete weekly'],
      ['', `workflow_job_template_nodes delete ${JSON.parse(said.get('first')!).id}`],
    );
    const [node] = JSON.parse(looked.get('nodes')!).results;
    expect(node).to.include({ identifier: 'first' });
    expect(node.summary_fields.job).to.include({ name: 'Sail', status: 'successful' });
    expect(JSON.parse(looked.get('approvals')!).count).to.equal(0);
    expect(JSON.parse(looked.get('sent')!).results[0]).to.include({ notification_type: 'webhook' });
  });

  it('exports all of them', async () => {
    const assets = JSON.parse(await start('awx', ['export']));
    const names = (kind: string) => assets[kind].map(({ name }: { name: string }) => name);
    expect(names('inventory')).to.include.members(['Ships', 'Brigs', 'Fleet']);
    expect(names('inventory_sources')).to.include('Charted');
    expect(names('credential_types')).to.include('Lighthouse');
    expect(names('credentials')).to.include.members(['Light', 'Vault']);
    expect(names('execution_environments')).to.include('Plain');
    const template = assets.job_templates.find(({ name }: any) => name === 'Sail');
    expect(template.related.survey_spec.spec[0]).to.include({ variable: 'course' });
  });

  it('answers whatever it offers', async () => {
    const ended = await run(['offered']);
    expect(ended.length).to.be.greaterThan(100);
    expect(ended.filter(({ trouble }) => trouble)).to.deep.equal([]);
    const failed = ended.filter(({ code }) => code);
    // help without an action ends with 2
    const refused = failed.filter(({ said }) => !said.startsWith('usage'));
    const missing = refused.filter(({ said }) => said.includes('could not be found'));
    expect(refused.filter((one) => !missing.includes(one))).to.deep.equal([]);
    // it offers to get what there are only lists of
    expect(missing.map(({ argv }) => argv.slice(0, 2).join(' ')).toSorted()).to.deep.equal(onlyListed);
  });
});

import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../core/config/config.ts';
import { until } from '../../support/until.ts';
import { local, openStage, play, type Stage } from '../stage.ts';

const task = (name: string, rest: string) => `    - name: ${name}\n${rest.replaceAll(/^/gm, '      ')}\n`;
const command = (text: string) => `command: ${text}\nchanged_when: true`;

const playbooks = {
  'release.yml': play(
    [
      task('Say which release this is', 'debug: {msg: "{{ inventory_hostname }} gets release 2.14.0"}'),
      task('Take the host out of the load balancer', command('echo drained')),
      task('Unpack the release', command('echo unpacked')),
      task('Wait until somebody has looked at it', 'wait_for: {path: "{{ release }}", timeout: 1200}'),
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
  'gather.yml': `- name: Look at the kernel
  hosts: all
  gather_facts: false
  tasks:
    - name: Read its settings
      set_fact: {cacheable: true, sysctl: {vm.swappiness: "{{ swappiness }}"}, motd: "as of {{ swappiness }}"}
`,
};

export const env = {
  TAPLINE_PLUGINS: 'console,recommendations,policy,scanning,eda,outbound-webhooks,calendars,drift',
  TAPLINE_POLICY_ENGINE_ENABLED: 'true',
  // nobody answers there: that is warned of, and kept as a decision
  TAPLINE_POLICY_ENGINE_SERVER_URL: 'http://127.0.0.1:9',
  TAPLINE_SCANNER_ENABLED: 'true',
  TAPLINE_SCANNER_COMMANDS: JSON.stringify({ playbook_lint: join(root, '.tools/ansible-lint/bin/ansible-lint') }),
};

/** Numbers of what pages are looked at. */
export interface Furnished {
  failed: number;
  running: number;
  asking: number;
  workflow: number;
  ran: number;
  rule: number;
  event: number;
  webhook: number;
  delivery: number;
  calendar: number;
  change: number;
  /** a job that asked for a password */
  secret: number;
  /** a credential that is looked up elsewhere */
  vault: number;
  /** a run of the workflow that waits */
  waiting: number;
  group: number;
  host: number;
  /** an inventory that is made of others */
  built: number;
  schedule: number;
}

export const openFurnished = () => openStage(env, { more: playbooks });

/** A shop that has one of everything, made by the API and run by the engine as anybody would. */
export async function furnish(stage: Stage): Promise<Furnished> {
  const { make, service, inventory } = stage;
  for (const name of ['web2', 'db1']) await make('hosts/', { name, inventory, variables: local });
  const template = async (playbook: string, body: object): Promise<number> =>
    (await stage.template(playbook, { allow_simultaneous: true, ...body })).id;
  const launch = async (id: number, body: object = {}): Promise<number> =>
    (await make(`job_templates/${id}/launch/`, body)).job;
  const asking = await asks(stage);
  const deeds = await plugins(stage, asking);
  const workflow = (await make('workflow_job_templates/', { name: 'Release on approval', organization: 1 })).id;
  const failed = await launch(
    await template('patch.yml', { name: 'Patch every host', description: 'Security updates, nightly' }),
  );
  const ran = await decided(stage, workflow, asking);
  const { secret, vault } = await credentials(stage);
  await make('ad_hoc_commands/', { inventory, module_name: 'ping' });
  const parts = await others(stage);
  const gather = await template('gather.yml', { name: 'Gather', use_fact_cache: true, ask_variables_on_launch: true });
  const idle = async () => {
    await until(
      async () => (await service.get('unified_jobs/?status__in=pending,waiting,running')).body.count === 0,
      300_000,
    );
  };
  for (const swappiness of [60, 10]) {
    await launch(gather, { extra_vars: { swappiness } });
    await idle();
  }
  const first = async (list: string, patience = 120_000): Promise<number> => {
    await until(async () => (await service.get(list)).body.count > 0, patience, `there is one of ${list}`);
    return (await service.get(list)).body.results[0].id;
  };
  await until(async () => (await service.get(`jobs/${failed}/`)).body.event_processing_finished);
  const found = {
    event: await first('event_logs/'),
    delivery: await first('outbound_webhook_deliveries/'),
    change: await first('drift_detections/'),
  };
  await first('drift_alerts/');
  const result = await first('scan_results/?finding_count__gt=0');
  await service.post(`scan_results/${result}/accept/`, { reason: 'Agreed with the shop.' });
  rmSync(stage.release, { force: true });
  const extra_vars = JSON.stringify({ release: stage.release });
  const running = await launch(await template('release.yml', { name: 'Release the shop', extra_vars }));
  await until(async () => (await service.get(`jobs/${running}/`)).body.status === 'running');
  const waiting = (await make(`workflow_job_templates/${workflow}/launch/`, {})).id;
  await first('workflow_approvals/?status=pending');
  return { failed, running, asking, workflow, ran, secret, vault, waiting, ...parts, ...deeds, ...found };
}

/** A template that asks for all that it can, with a survey and a schedule. */
async function asks({ template, make, service, inventory }: Stage): Promise<number> {
  const prompts = [
    'variables',
    'limit',
    'credential',
    'inventory',
    'verbosity',
    'diff_mode',
    'forks',
    'job_type',
    'tags',
  ];
  const { id } = await template('greet.yml', {
    name: 'Greet the team',
    webhook_service: 'github',
    ...Object.fromEntries(prompts.map((name) => [`ask_${name}_on_launch`, true])),
  });
  const spec = [
    {
      type: 'multiplechoice',
      question_name: 'Whom to greet?',
      variable: 'who',
      choices: 'everybody\nnobody',
      required: true,
      default: 'everybody',
    },
  ];
  await service.post(`job_templates/${id}/survey_spec/`, { name: '', description: '', spec });
  await make(`job_templates/${id}/schedules/`, {
    name: 'Nightly',
    inventory,
    rrule: 'DTSTART:20300101T030000Z RRULE:FREQ=DAILY;INTERVAL=1',
  });
  const told = await make('notification_templates/', {
    name: 'Tell the team',
    organization: 1,
    notification_type: 'webhook',
    notification_configuration: { url: 'http://127.0.0.1:9/', headers: {} },
  });
  await service.post(`notification_templates/${told.id}/test/`);
  return id;
}

/** A run of the workflow with an approval that was denied: nobody may approve what they launched. */
async function decided({ make, service }: Stage, workflow: number, then: number): Promise<number> {
  const node = await make(`workflow_job_templates/${workflow}/workflow_nodes/`, { identifier: 'ask' });
  await make(`workflow_job_template_nodes/${node.id}/create_approval_template/`, { name: 'Shall we?' });
  const after = await make(`workflow_job_templates/${workflow}/workflow_nodes/`, { unified_job_template: then });
  await service.post(`workflow_job_template_nodes/${node.id}/success_nodes/`, { id: after.id });
  const run = (await make(`workflow_job_templates/${workflow}/launch/`, {})).id;
  const waiting = () => service.get('workflow_approvals/?status=pending');
  await until(async () => (await waiting()).body.count === 1);
  await service.post(`workflow_approvals/${(await waiting()).body.results[0].id}/deny/`);
  return run;
}

/** One that is asked for at each launch, with a job of it, and one that lies in a vault elsewhere. */
async function credentials({ make, template, service }: Stage) {
  const type = async (namespace: string): Promise<number> =>
    (await service.get(`credential_types/?namespace=${namespace}`)).body.results[0].id;
  const asks = await make('credentials/', {
    name: 'Asked for',
    organization: 1,
    credential_type: await type('ssh'),
    inputs: { username: 'deploy', password: 'ASK' },
  });
  const vault = await make('credentials/', {
    name: 'Vault of the shop',
    organization: 1,
    credential_type: await type('hashivault_kv'),
    inputs: { url: 'http://127.0.0.1:9', token: 'hush', api_version: 'v2' },
  });
  const looked = await make('credentials/', { name: 'Looked up', organization: 1, credential_type: await type('ssh') });
  await make('credential_input_sources/', {
    target_credential: looked.id,
    source_credential: vault.id,
    input_field_name: 'password',
    metadata: { secret_path: '/shop/till', secret_key: 'password' },
  });
  const { id } = await template('greet.yml', { name: 'Greet with a password' });
  await service.post(`job_templates/${id}/credentials/`, { id: asks.id });
  const { job } = await make(`job_templates/${id}/launch/`, { credential_passwords: { ssh_password: 'not told' } });
  return { secret: job as number, vault: vault.id as number };
}

async function others({ make, inventory, service }: Stage) {
  await make(`inventories/${inventory}/labels/`, { name: 'north', organization: 1 });
  await service.request('PATCH', 'settings/jobs/', { body: { SCHEDULE_MAX_JOBS: 20 } });
  const built = await make('constructed_inventories/', { name: 'Built', organization: 1 });
  await service.post(`inventories/${built.id}/input_inventories/`, { id: inventory });
  const [schedule] = (await service.get('schedules/?name=Nightly')).body.results;
  await make('execution_environments/', { name: 'Plain', image: 'registry.example.com/plain' });
  await make('applications/', {
    name: 'Till',
    organization: 1,
    client_type: 'public',
    authorization_grant_type: 'password',
  });
  await make('tokens/', { description: 'For the till', scope: 'read' });
  await make('teams/', { name: 'Keepers', organization: 1 });
  const tills = await make('groups/', { name: 'tills', inventory });
  const till = await make(`groups/${tills.id}/hosts/`, { name: 'till1', variables: local });
  await make('inventory_sources/', { name: 'Cloud', inventory, source: 'ec2' });
  return {
    group: tills.id as number,
    host: till.id as number,
    built: built.id as number,
    schedule: schedule.id as number,
  };
}

/** What plugins keep: before the first launch, so that it is judged, scanned and told. */
async function plugins({ make, service }: Stage, template: number) {
  await service.request('PATCH', 'organizations/1/', { body: { policy_enforcement: 'warn' } });
  const policy = await make('policies/', {
    name: 'Name what you launch',
    enforcement: 'warn',
    rego_module: 'package shop.named\n\nwarn contains "Name it." if input.resource_name == ""\n',
  });
  const reason = 'It is named by its schedule.';
  await make('policy_waivers/', {
    policy: policy.id,
    scope: 'organization',
    organization: 1,
    reason,
    owner: 1,
    expires: '2999-01-01T00:00:00Z',
  });
  await make('scanners/', {
    name: 'Lint',
    tool: 'playbook_lint',
    enforcement: 'warn',
    severity_threshold: 'info',
  });
  const [told] = (await service.get('notification_templates/')).body.results;
  await make('drift_alert_rules/', { name: 'Any drift', organization: 1, notification_template: told.id });
  const webhook = await make('outbound_webhooks/', {
    name: 'Ledger',
    organization: 1,
    url: 'http://127.0.0.1:9/ledger',
    events: ['job.succeeded', 'job.failed'],
  });
  const windows = [{ rrule: 'DTSTART:20300101T220000Z RRULE:FREQ=DAILY;INTERVAL=1', duration: 'PT8H' }];
  const calendar = await make('calendars/', { name: 'Freeze', organization: 1, kind: 'deny', windows });
  const rule = await make('event_rules/', {
    name: 'Greet at a push',
    organization: 1,
    source_type: 'webhook_generic',
    webhook_path: 'greet',
    conditions: [{ jinja2_expression: 'event.ref == "main"', description: '' }],
    actions: [{ action_type: 'launch_job_template', target_id: template, extra_vars: {}, description: '' }],
  });
  const { webhook_key: key } = (await service.get(`event_rules/${rule.id}/webhook_key/`)).body;
  const body = '{"ref": "main"}';
  const signature = `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-svc-signature': signature };
  await fetch(`${service.url}/api/v2/eda_webhooks/greet/`, { method: 'POST', headers, body });
  return { webhook: webhook.id as number, calendar: calendar.id as number, rule: rule.id as number };
}

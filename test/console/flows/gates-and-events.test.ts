import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../../../core/config/config.ts';
import { type Opa, startOpa } from '../../../plugins/policy/test/opa.ts';
import { type HttpTarget, httpTarget } from '../../notifications/servers.ts';
import { describeWith } from '../../support/needs.ts';
import { until } from '../../support/until.ts';
import type { Person } from './person.ts';
import { scene } from './scene.ts';

/** Learns of the host what somebody set there. */
const gather = `- name: Look at the kernel
  hosts: all
  gather_facts: true
  tasks:
    - name: Read its settings
      set_fact: {cacheable: true, sysctl: {vm.swappiness: "{{ swappiness }}"}}
`;
const risky = `- hosts: all
  gather_facts: false
  tasks:
    - shell: echo {{ who | default("nobody") }} | cat
`;
const module = `package freeze

deny contains "Nothing goes live on a Friday." if input.resource_name == "Go live"
`;

describeWith(
  ['chromium', 'opa', 'ansible-lint'],
  'flows of an administrator: drift, gates, events and deliveries',
  () => {
    let opa: Opa;
    let target: HttpTarget;
    const env: Record<string, string> = {
      TAPLINE_PLUGINS: 'console,recommendations,policy,scanning,eda,outbound-webhooks,drift',
      TAPLINE_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.1',
      TAPLINE_POLICY_ENGINE_ENABLED: 'true',
      TAPLINE_SCANNER_ENABLED: 'true',
      TAPLINE_SCANNER_COMMANDS: JSON.stringify({
        playbook_lint: join(root, '.tools/ansible-lint/bin/ansible-lint'),
      }),
    };
    before(async () => {
      [opa, target] = await Promise.all([startOpa(), httpTarget()]);
      env['TAPLINE_POLICY_ENGINE_SERVER_URL'] = opa.url;
    });
    const here = scene(
      async ({ template }) => {
        await template('gather.yml', { name: 'Gather', use_fact_cache: true, ask_variables_on_launch: true });
        await template('greet.yml', { name: 'Go live', ask_variables_on_launch: true });
        await template('risky.yml', { name: 'Risky' });
      },
      env,
      { more: { 'gather.yml': gather, 'risky.yml': risky } },
    );
    after(async () => {
      await opa?.stop();
      await target?.stop();
    });
    let admin: Person;
    beforeEach(async () => {
      admin = await here.person();
    });
    const ends = (status: string) => admin.isTold(new RegExp(`^Job \\d+: ${status}$`));
    const launches = async (name: string, variables?: string) => {
      await admin.opens('Templates');
      await admin.follows(`Launch ${name}`);
      if (variables) await admin.fills('Extra variables', variables);
      await admin.presses('Launch');
    };

    it('sees that a host is not as it was, who did it, and acknowledges it', async () => {
      for (const swappiness of [60, 10]) {
        await launches('Gather', `swappiness: ${swappiness}`);
        await ends('Successful');
      }
      await until(async () => (await here.service.get('drift_detections/')).body.count > 0, 60_000);
      await admin.opens('Drift');
      await admin.rowWith('swappiness').sees('web1');
      await admin.rowWith('swappiness').follows(/swappiness/);
      await admin.within('table', 'Changes within the fact').sees(/60/, /10/);
      await admin.presses(/^Acknowledge/);
      await admin.isTold('Acknowledged.');
    });

    it('forbids going live on a Friday, sees it work, and lets one through that cannot wait', async () => {
      await admin.opens('Organizations');
      await admin.follows('Default');
      await admin.follows('Edit');
      await admin.unfolds('More');
      await admin.chooses('Policy enforcement', 'enforce');
      await admin.presses('Save');
      await admin.isAt('Default');
      await admin.opens('Policies');
      await admin.follows('New policy');
      await admin.fillsIn({ Name: 'Freeze', Module: module });
      await admin.chooses('Enforcement', 'enforce');
      await admin.presses('Create policy');
      await admin.isAt('Freeze');

      await launches('Go live');
      await admin.isWarned('Nothing goes live on a Friday.');
      await admin.opens('Policies');
      await admin.follows('Freeze');
      await admin.turnsTo('Decisions');
      await admin.rowWith('Nothing goes live on a Friday.').sees(/deny/i);
      await admin.turnsTo('Waivers');
      await admin.follows('Add waiver');
      await admin.chooses('Scope', 'template');
      await admin.picks('Unified job template', 'Go live');
      await admin.picks('Owner', 'admin');
      await admin.fillsIn({ Reason: 'The shop is down.', Expires: '2999-01-01T00:00' });
      await admin.presses('Create waiver');
      await admin.isAt('The shop is down.');
      await launches('Go live');
      await ends('Successful');
    });

    it('has playbooks looked at before they run, reads what was found, and accepts what is known', async () => {
      await admin.opens('Scanners');
      await admin.follows('New scanner');
      await admin.fills('Name', 'Style');
      await admin.chooses('Tool', 'playbook_lint');
      await admin.chooses('Severity threshold', 'low');
      await admin.presses('Create scanner');
      await admin.isAt('Style');
      await launches('Risky');
      await ends('Successful');
      await admin.sees(/^Scan warnings/);
      await admin.goesTo('/scan_results');
      await admin.follows('Style');
      await admin.sees(/risky-shell-pipe|command-instead-of-shell/);
      await admin.fills('Why they are accepted', 'It only echoes.');
      await admin.presses(/^Accept all \d+$/);
      await admin.isTold('From the next launch on they count no more.');
    });

    it('has a push to main deployed by itself, and reads afterwards why that happened', async () => {
      await admin.opens('Event rules');
      await admin.follows('New event rule');
      await admin.fills('Name', 'Deploy main');
      await admin.picks('Organization', 'Default');
      await admin.chooses('Source type', 'webhook_generic');
      await admin.fills('Webhook path', 'deploy-main');
      await admin.presses('Add condition');
      await admin.within('group', 'condition 1').fills('Expression', 'event.ref == "main"');
      await admin.presses('Add action');
      await admin.picks('Job template', 'Go live');
      await admin.presses('Create event rule');
      await admin.isAt('Deploy main');
      await admin.presses('Key');
      const key = admin.dialog();
      await key.sees(/\/api\/v2\/eda_webhooks\/deploy-main\//);
      const { body: rules } = await here.service.get('event_rules/?name=Deploy main');
      const { body: made } = await here.service.get(`event_rules/${rules.results[0].id}/webhook_key/`);
      await key.presses('Close');
      const body = '{"ref": "main"}';
      const signature = `sha256=${createHmac('sha256', made.webhook_key).update(body).digest('hex')}`;
      const pushed = await fetch(`${here.service.url}/api/v2/eda_webhooks/deploy-main/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-svc-signature': signature },
        body,
      });
      expect(pushed.status).to.equal(202);
      await admin.opens('Events');
      await admin.has('cell', 'action_fired');
      await admin.rowWith('action_fired').follows(/./);
      await admin.turnsTo('What became of it');
      await admin.sees('event.ref == "main"', 'holds');
      await admin.follows(/^run \d+$/);
      await admin.isAt(/^Go live · Job/);
    });

    it('tells another system what ended, and reads which message it did not take', async () => {
      target.answer = () => ({ status: 503 });
      await admin.opens('Outbound webhooks');
      await admin.follows('New outbound webhook');
      await admin.fills('Name', 'Ledger');
      await admin.picks('Organization', 'Default');
      await admin.fills('Url', `${target.url}/ledger`);
      await admin.checks('job.succeeded');
      await admin.presses('Create outbound webhook');
      await admin.isAt('Ledger');
      await launches('Go live');
      await ends('Successful');
      await until(() => Promise.resolve(target.seen.length > 0), 60_000);
      await admin.opens('Outbound webhooks');
      await admin.follows('Ledger');
      await admin.turnsTo('Deliveries');
      await admin.rowWith('job.succeeded').sees('503');
      await admin.rowWith('job.succeeded').follows(/./);
      await admin.turnsTo('Tries');
      await admin.within('table', 'Tries').has('cell', '503');
    });
  },
);

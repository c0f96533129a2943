import { expect } from 'chai';
import type { TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const weekly = 'DTSTART;TZID=Europe/Zurich:20300107T083000 RRULE:FREQ=WEEKLY;INTERVAL=1;BYDAY=MO';
const inputs = {
  fields: [
    { id: 'token', type: 'string', label: 'Token', secret: true },
    { id: 'region', type: 'string', label: 'Region' },
  ],
  required: ['token'],
};
const survey = {
  name: 'Course',
  description: 'Where it goes',
  spec: [
    { question_name: 'Where to?', variable: 'course', type: 'text', required: true, default: 'north', min: 1, max: 20 },
    {
      question_name: 'How fast?',
      variable: 'speed',
      type: 'multiplechoice',
      choices: ['slow', 'fast'],
      required: false,
      default: 'slow',
    },
    { question_name: 'Word?', variable: 'word', type: 'password', required: false, default: 'hidden' },
  ],
};

/** One record of every kind that clients move from service to service, bound to each other in every way. */
export async function fill(service: TestService, url: string): Promise<void> {
  const post = async (path: string, body: object, status = 201) => {
    const answer = await service.post(path, body);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(status);
    return answer.body ?? {};
  };
  const bind = (path: string, ...ids: number[]) => Promise.all(ids.map((id) => post(path, { id }, 204)));
  const one = async (path: string) => (await service.get(path)).body.results[0].id as number;

  const organization = (await post('organizations/', { name: 'Harbour', description: 'All ships', max_hosts: 40 })).id;
  const ours = { organization, description: 'ours' };
  const ann = await post('users/', {
    username: 'ann',
    password: 'first one 1',
    first_name: 'Ann',
    email: 'ann@example.org',
  });
  const bob = await post('users/', { username: 'bob', password: 'first one 1', is_system_auditor: true });
  await bind(`organizations/${organization}/users/`, ann.id);
  await bind(`organizations/${organization}/admins/`, bob.id);
  const team = (await post('teams/', { name: 'Pilots', ...ours })).id;
  await bind(`teams/${team}/users/`, ann.id);

  const environment = (
    await post('execution_environments/', {
      name: 'Plain',
      image: 'registry.example.org/plain:1',
      pull: 'missing',
      ...ours,
    })
  ).id;
  const injectors = { env: { LIGHT: '{{ token }}' }, extra_vars: { region: '{{ region }}' } };
  const type = (await post('credential_types/', { name: 'Lighthouse', kind: 'cloud', inputs, injectors })).id;
  const light = (
    await post('credentials/', {
      name: 'Light',
      ...ours,
      credential_type: type,
      inputs: { region: 'north', token: '' },
    })
  ).id;
  const dark = (await post('credentials/', { name: 'Dark', ...ours, credential_type: type, inputs: { token: '' } })).id;
  const machine = (
    await post('credentials/', {
      name: 'Ropes',
      ...ours,
      credential_type: await one('credential_types/?namespace=ssh'),
      inputs: { username: 'sailor', become_method: 'sudo' },
    })
  ).id;
  const galaxy = (
    await post('credentials/', {
      name: 'Library',
      ...ours,
      credential_type: await one('credential_types/?namespace=galaxy_api_token'),
      inputs: { url: 'https://galaxy.example.org/' },
    })
  ).id;
  await bind(`organizations/${organization}/galaxy_credentials/`, galaxy);

  const [told, paged] = [
    await post('notification_templates/', {
      name: 'Told',
      ...ours,
      notification_type: 'webhook',
      notification_configuration: {
        url: 'http://127.0.0.1:9/',
        headers: { 'X-Ship': 'bark' },
        http_method: 'PUT',
        username: 'sailor',
        password: 'hidden',
      },
      messages: { error: { body: '{"ship": "{{ job.name }}"}' } },
    }),
    await post('notification_templates/', {
      name: 'Paged',
      ...ours,
      notification_type: 'email',
      notification_configuration: {
        host: 'mail.example.org',
        port: 25,
        username: 'sailor',
        password: 'hidden',
        sender: 'a@example.org',
        recipients: ['b@example.org'],
        use_tls: false,
        use_ssl: false,
        timeout: 30,
      },
    }),
  ].map(({ id }) => id as number) as [number, number];
  await bind(`organizations/${organization}/notification_templates_error/`, told);
  await bind(`organizations/${organization}/notification_templates_approvals/`, paged);

  const project = (
    await post('projects/', {
      name: 'Charts',
      ...ours,
      scm_type: 'git',
      scm_url: url,
      scm_clean: true,
      allow_override: true,
      default_environment: environment,
    })
  ).id;
  await bind(`projects/${project}/notification_templates_started/`, told);
  await waitFor(service, `projects/${project}/`);

  const inventory = (await post('inventories/', { name: 'Ships', ...ours, variables: 'colour: blue' })).id;
  const hosts = [];
  for (const name of ['bark', 'brig'])
    hosts.push(
      (
        await post(`inventories/${inventory}/hosts/`, {
          name,
          variables: '{"ansible_connection": "local"}',
          enabled: name === 'bark',
        })
      ).id,
    );
  const [sailing, fleet] = [
    (await post(`inventories/${inventory}/groups/`, { name: 'sailing', variables: 'masts: 3' })).id,
    (await post(`inventories/${inventory}/groups/`, { name: 'fleet' })).id,
  ];
  await bind(`groups/${sailing}/hosts/`, ...hosts);
  await bind(`groups/${fleet}/children/`, sailing);
  await post('inventories/', { name: 'Brigs', ...ours, kind: 'smart', host_filter: 'name=brig' });
  const constructed = (
    await post('constructed_inventories/', {
      name: 'Fleet',
      organization,
      source_vars: 'plugin: constructed',
      limit: 'brig',
      update_cache_timeout: 5,
    })
  ).id;
  await bind(`inventories/${constructed}/input_inventories/`, inventory);
  const charted = (
    await post('inventory_sources/', {
      name: 'Charted',
      inventory,
      description: 'as charted',
      source: 'scm',
      source_project: project,
      source_path: 'ships.yml',
      overwrite: true,
      overwrite_vars: true,
      timeout: 60,
    })
  ).id;
  await post(`inventory_sources/${charted}/schedules/`, { name: 'charts each week', rrule: weekly });
  await bind(`inventory_sources/${charted}/notification_templates_success/`, told);

  const asks = {
    ask_variables_on_launch: true,
    ask_limit_on_launch: true,
    ask_inventory_on_launch: true,
    ask_credential_on_launch: true,
    ask_labels_on_launch: true,
  };
  const template = (
    await post('job_templates/', {
      name: 'Sail',
      description: 'ours',
      project,
      inventory,
      playbook: 'site.yml',
      survey_enabled: true,
      extra_vars: '---\nwind: strong\n',
      forks: 3,
      verbosity: 1,
      limit: 'all',
      job_tags: 'a,b',
      timeout: 90,
      execution_environment: environment,
      ...asks,
    })
  ).id;
  await post(`job_templates/${template}/survey_spec/`, survey, 200);
  await bind(`job_templates/${template}/credentials/`, light, machine);
  await post(`job_templates/${template}/labels/`, { name: 'at sea', organization });
  await bind(`job_templates/${template}/notification_templates_success/`, told, paged);
  const schedule = (
    await post(`job_templates/${template}/schedules/`, {
      name: 'each week',
      description: 'at eight',
      rrule: weekly,
      enabled: false,
      extra_data: { course: 'south', wind: 'weak' },
      limit: 'bark',
      inventory,
      missed_runs: 'catch_up_one',
    })
  ).id;
  await bind(`schedules/${schedule}/credentials/`, dark);
  await post(`schedules/${schedule}/labels/`, { name: 'weekly', organization });

  const plain = (
    await post('job_templates/', { name: 'Anchor', project, inventory, playbook: 'site.yml', limit: 'bark' })
  ).id;
  await post(`job_templates/${plain}/schedules/`, { name: 'each week', rrule: weekly });

  const inner = (await post('workflow_job_templates/', { name: 'Inner', ...ours })).id;
  const workflow = (
    await post('workflow_job_templates/', {
      name: 'Voyage',
      ...ours,
      inventory,
      extra_vars: '{"crew": 4}',
      survey_enabled: true,
      allow_simultaneous: true,
      ask_variables_on_launch: true,
    })
  ).id;
  await post(`workflow_job_templates/${workflow}/survey_spec/`, survey, 200);
  // another label: the client's import binds one that is there already to nothing more
  await post(`workflow_job_templates/${workflow}/labels/`, { name: 'round trip', organization });
  await bind(`workflow_job_templates/${workflow}/notification_templates_approvals/`, paged);
  await post(`workflow_job_templates/${workflow}/schedules/`, {
    name: 'each week',
    rrule: weekly,
    extra_data: { course: 'east' },
  });
  const node = async (identifier: string, columns: object) =>
    (await post(`workflow_job_templates/${workflow}/workflow_nodes/`, { identifier, ...columns })).id as number;
  const nodes = {
    update: await node('update', { unified_job_template: project }),
    ask: await node('ask', {}),
    sail: await node('sail', {
      unified_job_template: template,
      limit: 'bark',
      extra_data: { course: 'west' },
      inventory,
    }),
    inner: await node('inner', { unified_job_template: inner, all_parents_must_converge: true }),
    charts: await node('charts', { unified_job_template: charted }),
  };
  await post(`workflow_job_template_nodes/${nodes.ask}/create_approval_template/`, {
    name: 'Shall we?',
    description: 'Weather?',
    timeout: 600,
  });
  await bind(`workflow_job_template_nodes/${nodes.sail}/credentials/`, dark);
  await post(`workflow_job_template_nodes/${nodes.sail}/labels/`, { name: 'weekly', organization }, 204);
  await bind(`workflow_job_template_nodes/${nodes.update}/success_nodes/`, nodes.ask, nodes.charts);
  await bind(`workflow_job_template_nodes/${nodes.ask}/success_nodes/`, nodes.sail);
  await bind(`workflow_job_template_nodes/${nodes.ask}/failure_nodes/`, nodes.inner);
  await bind(`workflow_job_template_nodes/${nodes.charts}/always_nodes/`, nodes.inner);
  await post('schedules/', { name: 'update weekly', rrule: weekly, unified_job_template: project });

  const grant = async (holder: string, on: string, role: string) =>
    bind(`${holder}/roles/`, await one(`${on}/object_roles/?role_field=${role}`));
  await grant(`users/${ann.id}`, `job_templates/${template}`, 'execute_role');
  await grant(`users/${ann.id}`, `workflow_job_templates/${workflow}`, 'approval_role');
  await grant(`users/${ann.id}`, `credentials/${light}`, 'use_role');
  await grant(`users/${bob.id}`, `teams/${team}`, 'admin_role');
  await grant(`teams/${team}`, `inventories/${inventory}`, 'adhoc_role');
  await grant(`teams/${team}`, `projects/${project}`, 'use_role');
  await grant(`teams/${team}`, `organizations/${organization}`, 'auditor_role');
  await post('applications/', {
    name: 'Chart reader',
    ...ours,
    client_type: 'public',
    authorization_grant_type: 'authorization-code',
    redirect_uris: 'https://charts.example.org/',
  });
}

async function waitFor(service: TestService, path: string): Promise<void> {
  await until(async () => (await service.get(path)).body.status === 'successful', 150_000, 'that the project is there');
}

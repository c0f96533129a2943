import {
  anyOf,
  auditor,
  defineResource,
  field,
  type PluginApi,
  type Resource,
  type Row,
  ValidationError,
  via,
} from '@tapline/plugin-sdk';
import { type Scope, scopes } from '../waive.ts';

const once = { mode: 'create' } as const;

/** The field that names what a waiver is for. */
const named: Readonly<Record<Scope, string | undefined>> = {
  template: 'unified_job_template',
  inventory: 'inventory',
  organization: 'organization',
  everything: undefined,
};

/** Made, changed and ended by those who administer the policy: whom it binds must not waive it. */
export function policyWaiverResource(api: PluginApi): Resource {
  const { parent } = api.rules;
  const ofPolicy = (role: string) =>
    via('policy_id', api.table('policies'), parent('organization_id', 'organization', role));
  const administers = ofPolicy('admin_role');
  const see = anyOf(
    auditor,
    ofPolicy('read_role'),
    parent('unified_job_template_id', 'job_template', 'read_role'),
    parent('unified_job_template_id', 'workflow_job_template', 'read_role'),
    parent('inventory_id', 'inventory', 'read_role'),
    parent('organization_id', 'organization', 'read_role'),
  );
  return defineResource({
    type: 'policy_waiver',
    path: 'policy_waivers',
    table: 'waivers',
    label: 'Policy waiver',
    description: 'Denials of a policy that do not count for a time, and why.',
    access: { see, create: administers, change: administers, delete: administers },
    orderBy: ['-id'],
    search: ['reason'],
    fields: {
      policy: field.ref('policy', { ...once, required: true, nullable: false }),
      scope: field.choice(scopes, {
        ...once,
        required: true,
        help: 'For launches of a template, in an inventory or of an organization, which has to be named; or for everything that the policy judges.',
      }),
      unified_job_template: field.ref('unified_job_template', once),
      inventory: field.ref('inventory', once),
      organization: field.ref('organization', once),
      reason: field.text({ required: true, max: 1024, help: 'Why denials do not count. Launches are told it.' }),
      owner: field.ref('user', { required: true, nullable: false, help: 'Who answers for it.' }),
      expires: field.datetime({ required: true, help: 'From then on it does not count.' }),
    },
    validate({ input, before }) {
      if (!before) assertScope(input);
      if (input.expires !== undefined && Date.parse(input.expires) <= api.clock.now().getTime())
        throw ValidationError.field('expires', 'It must be in the future.');
    },
  });
}

function assertScope(input: Partial<Row>): void {
  const own = named[input['scope'] as Scope];
  for (const name of Object.values(named)) {
    if (name === undefined) continue;
    const is = input[`${name}_id`] ?? null;
    if (name === own && is === null) throw ValidationError.field(name, `The scope ${String(input['scope'])} needs it.`);
    if (name !== own && is !== null)
      throw ValidationError.field(name, `It is not for the scope ${String(input['scope'])}.`);
  }
}

import { anyOf, defineResource, field, parameter, type PluginApi, type Resource } from '@tapline/plugin-sdk';

const ro = { mode: 'ro' } as const;

/** Read by whoever reads the job's template, and who administers or audits the organization. */
export function policyDecisionResource(api: PluginApi): Resource {
  const { parent } = api.rules;
  const see = anyOf(
    parent('organization_id', 'organization', 'admin_role'),
    parent('organization_id', 'organization', 'auditor_role'),
    parent('unified_job_template_id', 'job_template', 'read_role'),
    parent('unified_job_template_id', 'workflow_job_template', 'read_role'),
  );
  return defineResource({
    type: 'policy_decision',
    path: 'policy_decisions',
    table: 'decisions',
    label: 'Policy decision',
    description: 'What a policy said of a launch that it did not let pass silently.',
    methods: { list: ['GET'], detail: ['GET'] },
    access: { see },
    orderBy: ['-id'],
    search: ['policy_name', 'message'],
    fields: {
      policy: field.ref('policy', ro),
      policy_name: field.string(ro),
      organization: field.ref('organization', ro),
      decision: field.choice(['warn', 'deny'], ro),
      shadow: field.boolean({ ...ro, help: 'The policy was only tried: nothing came of it.' }),
      waived: field.boolean({ ...ro, help: 'A waiver held: the launch was not denied for it.' }),
      waiver: field.ref('policy_waiver', { ...ro, help: 'Empty where none held, or it is gone.' }),
      message: field.text(ro),
      unified_job: field.ref('unified_job', { ...ro, help: 'Empty where the launch was denied, or its run is gone.' }),
      unified_job_template: field.ref('unified_job_template', ro),
      triggered_by: field.ref('user', ro),
      context: field.json({ ...ro, detailOnly: true, filterable: false, help: 'What the policy was asked with.' }),
      created: field.datetime(ro),
    },
    parameters: { since: parameter.since('created') },
  });
}

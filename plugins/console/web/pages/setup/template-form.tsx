import {
  CheckField,
  Form,
  post,
  RecordField,
  SelectField,
  TextField,
  useFields,
  useQuery,
  t,
} from '@tapline/console-kit';
import type { StepFormProps } from './steps.tsx';

export function TemplateForm({ onDone }: StepFormProps) {
  const { values, errors, bind } = useFields({
    name: '',
    project: '',
    playbook: '',
    inventory: '',
    credential: '',
    ask: '',
  });
  const { project, ask } = values.value;
  const playbooks = useQuery<string[]>(project ? `projects/${project}/playbooks/` : null);

  const submit = async () => onDone(t`${await makeTemplate(values.value)} can be launched.`);

  return (
    <Form
      submit={t`Make template`}
      errors={errors}
      known={['name', 'project', 'playbook', 'inventory', 'credential']}
      onSubmit={submit}
    >
      <TextField {...bind('name')} label={t`Name`} required />
      <RecordField {...bind('project')} label={t`Project`} required list="projects/?order_by=-id" />
      <SelectField
        {...bind('playbook')}
        label={t`Playbook`}
        required
        empty={project ? t`Choose one` : t`Choose the project first`}
        choices={(playbooks.data.value ?? []).map((name) => ({ value: name, label: name }))}
      />
      <RecordField
        {...bind('inventory')}
        label={t`Inventory`}
        empty={t`Ask at each launch`}
        list="inventories/?order_by=-id"
      />
      <RecordField
        {...bind('credential')}
        label={t`Credential`}
        empty={t`None`}
        list="credentials/?credential_type__namespace=ssh&order_by=-id"
      />
      <CheckField
        label={t`Ask for extra variables at each launch`}
        name="ask"
        checked={ask === 'yes'}
        onValue={(on) => void (values.value = { ...values.value, ask: on ? 'yes' : '' })}
      />
    </Form>
  );
}

/** Resolves to its name. */
async function makeTemplate(
  values: Record<'name' | 'project' | 'playbook' | 'inventory' | 'credential' | 'ask', string>,
) {
  const { name, project, playbook, inventory, credential, ask } = values;
  const template = await post<{ id: number; name: string }>('job_templates/', {
    name,
    playbook,
    project: project ? Number(project) : null,
    inventory: inventory ? Number(inventory) : null,
    ask_variables_on_launch: ask === 'yes',
    ask_inventory_on_launch: !inventory,
  });
  if (credential) await post(`job_templates/${template.id}/credentials/`, { id: Number(credential) });
  return template.name;
}

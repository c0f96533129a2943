import { useSignal } from '@preact/signals';
import { ApiFailure, get, post } from '../../api/http.ts';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import type { StepFormProps } from './steps.tsx';
import { defaultOrganization, useFields } from './use-create.ts';

interface Project {
  id: number;
  name: string;
  status: string;
  summary_fields: Record<string, any>;
}

const pauseMs = 700;
const running = new Set(['new', 'pending', 'waiting', 'running', 'never updated']);
const wait = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** Makes the project and waits for its first update, since only that shows whether the address is right. */
export function ProjectForm({ onDone }: StepFormProps) {
  const { values, errors, bind } = useFields({ name: '', scm_url: '', scm_branch: '' });
  const state = useSignal('');

  const submit = async () => {
    const body = { ...values.value, scm_type: 'git', organization: await defaultOrganization() };
    let project = await post<Project>('projects/', body);
    state.value = 'Reading the repository …';
    try {
      for (; running.has(project.status); project = await get<Project>(`projects/${project.id}/`, { quiet: true }))
        await wait();
    } finally {
      state.value = '';
    }
    if (project.status !== 'successful' && project.status !== 'ok') throw await whyNot(project);
    await onDone(`${project.name} is connected.`);
  };

  return (
    <Form
      submit="Connect"
      busy={state.value || 'Connecting …'}
      errors={errors}
      known={['name', 'scm_url', 'scm_branch']}
      onSubmit={submit}
    >
      <TextField {...bind('name')} label="Name" required />
      <TextField
        {...bind('scm_url')}
        label="Address of the repository"
        required
        code
        placeholder="https://git.example.com/team/playbooks.git"
      />
      <TextField {...bind('scm_branch')} label="Branch" hint="Empty means the repository’s default branch." />
    </Form>
  );
}

async function whyNot({ summary_fields }: Project): Promise<ApiFailure> {
  const update = summary_fields['last_update'] ?? summary_fields['last_job'];
  const said = update
    ? await get<string>(`project_updates/${update.id}/stdout/?format=txt`, { quiet: true }).catch(() => '')
    : '';
  const tail = typeof said === 'string' ? said.trim().split('\n').slice(-3).join(' ') : '';
  return new ApiFailure(400, { scm_url: [`The project was made, but its repository could not be read. ${tail}`] });
}

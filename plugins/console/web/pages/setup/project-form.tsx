import { useSignal } from '@preact/signals';
import {
  ApiFailure,
  Form,
  get,
  type Launch,
  post,
  request,
  TextField,
  useFields,
  useLauncher,
  t,
} from '@tapline/console-kit';
import type { StepFormProps } from './steps.tsx';
import { defaultOrganization } from './default-organization.ts';

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
  // a second try mends the project that the first one made
  const made = useSignal<number | null>(null);
  const state = useSignal('');
  const launch = useLauncher();

  const submit = async () => {
    let project = await save(made.value, values.value, launch);
    made.value = project.id;
    state.value = t`Reading the repository …`;
    try {
      for (; running.has(project.status); project = await read(project.id)) await wait();
    } finally {
      state.value = '';
    }
    if (project.status !== 'successful' && project.status !== 'ok') throw await whyNot(project);
    await onDone(t`${project.name} is connected.`);
  };

  return (
    <Form
      submit={t`Connect`}
      busy={state.value || t`Connecting …`}
      errors={errors}
      known={['name', 'scm_url', 'scm_branch']}
      onSubmit={submit}
    >
      <TextField {...bind('name')} label={t`Name`} required />
      <TextField
        {...bind('scm_url')}
        label={t`Address of the repository`}
        required
        code
        placeholder={`https://git.example.com/team/playbooks.git`}
      />
      <TextField {...bind('scm_branch')} label={t`Branch`} hint={t`Empty means the repository’s default branch.`} />
    </Form>
  );
}

const read = (id: number) => get<Project>(`projects/${id}/`, { quiet: true });

/** Resolves to the project, whose update has begun. */
async function save(id: number | null, values: Record<string, string>, launch: Launch): Promise<Project> {
  if (id === null) return post('projects/', { ...values, scm_type: 'git', organization: await defaultOrganization() });
  const project = await request<Project>('PATCH', `projects/${id}/`, { body: values });
  // another address starts an update by itself
  if (running.has(project.status)) return project;
  await launch(`projects/${id}/update/`);
  return read(id);
}

/** The update itself knows best; else the end of what it printed. */
async function whyNot({ summary_fields }: Project): Promise<ApiFailure> {
  const { id } = summary_fields['last_update'] ?? summary_fields['last_job'] ?? {};
  const update = `project_updates/${id}/`;
  const explained = await get<{ job_explanation: string }>(update, { quiet: true }).catch(() => null);
  const printed = explained?.job_explanation
    ? ''
    : await get<string>(`${update}stdout/?format=txt`, { quiet: true }).catch(() => '');
  const reason = explained?.job_explanation || printed.trim().split('\n').slice(-3).join(' ');
  return new ApiFailure(400, { scm_url: [t`The project was made, but its repository could not be read. ${reason}`] });
}

import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import {
  ApiFailure,
  Form,
  get,
  type Launch,
  Loading,
  may,
  Notice,
  type Page,
  post,
  request,
  type Row,
  TextField,
  useFields,
  useLauncher,
  useQuery,
  t,
} from '@tapline/console-kit';
import { own } from '../../api/steps.ts';
import type { StepFormProps } from './steps.tsx';
import { defaultOrganization } from './default-organization.ts';
import { closed, credentialOf, RepositoryAccess } from './repository-access.tsx';

interface Project extends Row {
  name: string;
  status: string;
  scm_url: string;
  scm_branch: string;
  credential: number | null;
}

const pauseMs = 700;
const running = new Set(['new', 'pending', 'waiting', 'running', 'never updated']);
const wait = () => new Promise((resolve) => setTimeout(resolve, pauseMs));

/** A git project whose repository was never read: the first try failed, or went on when somebody left. */
const unread = 'projects/?scm_type=git&scm_revision=&order_by=-id&page_size=1';

/** Connects a repository; one whose first try failed is found again and mended, until somebody wants another one. */
export function ProjectForm({ onDone }: StepFormProps) {
  const { data, error } = useQuery<Page<Project>>(own.peek()?.project ? null : unread);
  /** as it was found first: what this form makes is its own */
  const found = useRef<Project | null | undefined>(own.peek()?.project ? null : undefined);
  const fresh = useSignal(false);
  if (found.current === undefined && data.value)
    found.current = data.value.results.find((project) => may(project, 'edit')) ?? null;
  if (found.current === undefined && !error.value) return <Loading what={t`the form`} />;
  const mended = fresh.value ? null : (found.current ?? null);
  return (
    <>
      {mended && (
        <Notice tone="info">
          <p>{t`${mended.name} is there, but its repository was not read so far. Mend it here, or connect another one.`}</p>
          <button type="button" onClick={() => void (fresh.value = true)}>{t`Connect another one`}</button>
        </Notice>
      )}
      <ConnectForm key={mended?.id ?? 'fresh'} project={mended} onDone={onDone} />
    </>
  );
}

/** Makes the project and waits for its first update, since only that shows whether the address is right. */
function ConnectForm({ project: given, onDone }: StepFormProps & { project: Project | null }) {
  const { values, errors, set, bind } = useFields({ ...closed, ...valuesOf(given) });
  // a second try mends the project that the first one made
  const made = useSignal<number | null>(given?.id ?? null);
  const state = useSignal('');
  const launch = useLauncher();

  const submit = async () => {
    const { name, scm_url, scm_branch } = values.value;
    const credential = await credentialOf(values.value, name);
    // nor does it store the same secret twice
    if (credential) set({ ...closed, access: 'stored', credential: String(credential) });
    let project = await save(made.value, { name, scm_url, scm_branch, credential }, launch);
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
      known={Object.keys(values.value)}
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
      <RepositoryAccess bind={bind} />
    </Form>
  );
}

/** What is stored of it, as the form has it. */
const valuesOf = (project: Project | null) => ({
  name: project?.name ?? '',
  scm_url: project?.scm_url ?? '',
  scm_branch: project?.scm_branch ?? '',
  ...(project?.credential ? { access: 'stored', credential: String(project.credential) } : {}),
});

const read = (id: number) => get<Project>(`projects/${id}/`, { quiet: true });

type Sent = Pick<Project, 'name' | 'scm_url' | 'scm_branch' | 'credential'>;

/** Resolves to the project, whose update has begun. */
async function save(id: number | null, body: Sent, launch: Launch): Promise<Project> {
  if (id === null) return post('projects/', { ...body, scm_type: 'git', organization: await defaultOrganization() });
  const project = await request<Project>('PATCH', `projects/${id}/`, { body });
  // another address starts an update by itself
  if (running.has(project.status) && project.status !== 'never updated') return project;
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

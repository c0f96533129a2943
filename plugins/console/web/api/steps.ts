import { computed, signal } from '@preact/signals';
import { get, type Page } from '@tapline/console-kit';

export type StepId = 'project' | 'credential' | 'host' | 'template' | 'launch';

interface Named {
  id: number;
  name: string;
  [key: string]: any;
}

/** What an installation of one's own has; null for what is missing. */
export type Own = Record<StepId, Named | null>;

/** undefined until it was read. */
export const own = signal<Own | undefined>(undefined);
export const stepIds: readonly StepId[] = ['project', 'credential', 'host', 'template', 'launch'];
export const doneSteps = computed(() => stepIds.filter((id) => own.value?.[id]).length);

/** A repository of one's own: the demo's files came with the service. */
const sources = 'git,svn,archive';
const first = async (path: string) => (await get<Page<Named>>(path, { quiet: true })).results[0] ?? null;

/** Each step is judged by what there is, whoever made it and however. */
export async function readSteps(): Promise<void> {
  const [project, keys, host, template, launch] = await Promise.all([
    // one that was read at least once
    first(`projects/?scm_type__in=${sources}&not__scm_revision=&order_by=-id&page_size=1`),
    get<Page<Named>>('credentials/?credential_type__namespace=ssh&order_by=-id&page_size=200', { quiet: true }),
    first('hosts/?not__name=localhost&order_by=-id&page_size=1'),
    first(`job_templates/?project__scm_type__in=${sources}&order_by=-id&page_size=1`),
    first(`jobs/?project__scm_type__in=${sources}&order_by=-id&page_size=1`),
  ]);
  const usable = ({ inputs }: Named) => inputs?.ssh_key_data || inputs?.password;
  own.value = { project, credential: keys.results.find(usable) ?? null, host, template, launch };
}

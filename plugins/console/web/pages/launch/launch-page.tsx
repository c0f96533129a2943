import { ApiFailure } from '../../api/http.ts';
import { useQuery } from '../../api/query.ts';
import type { Template } from '../../api/types.ts';
import { Failure, Loading, PageLayout } from '../../components/page.tsx';
import { LaunchForm } from './launch-form.tsx';
import type { LaunchInfo, LaunchOptions } from './prompts.ts';
import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { request } from '../../api/http.ts';

/** A template with everything it asks for. */
export function LaunchPage({ params }: { params: Record<string, string> }) {
  const id = Number(params['id']);
  const template = useQuery<Template>(`job_templates/${id}/`);
  const info = useQuery<LaunchInfo>(`job_templates/${id}/launch/`);
  const options = useOptions(`job_templates/${id}/launch/`);
  const found = template.data.value;
  const error = template.error.value ?? info.error.value;
  return (
    <PageLayout title={found ? `Launch ${found.name}` : 'Launch'} intro={found && <Intro template={found} />}>
      {error && <Failure error={error} what="template" />}
      {!error && !(found && info.data.value && options.value) && <Loading what="what the template asks for" />}
      {found && info.data.value && options.value && (
        <LaunchForm template={found} info={info.data.value} options={options.value} />
      )}
    </PageLayout>
  );
}

function Intro({ template }: { template: Template }) {
  const { project, inventory } = template.summary_fields;
  return (
    <>
      {template.description && <p>{template.description}</p>}
      <p class="muted">
        <code>{template.playbook}</code> of {project?.name ?? 'no project'}
        {inventory && <> on {inventory.name}</>}
      </p>
    </>
  );
}

/** Labels, hints and choices of the prompts come from the service. */
function useOptions(path: string) {
  const options = useSignal<LaunchOptions | undefined>(undefined);
  useEffect(() => {
    request<{ actions: { POST?: LaunchOptions } }>('OPTIONS', path)
      .then(({ actions }) => void (options.value = actions.POST ?? {}))
      .catch((error: unknown) => {
        if (!(error instanceof ApiFailure)) throw error;
        options.value = {};
      });
  }, [path]);
  return options;
}

import {
  Failure,
  Loading,
  may,
  Notice,
  PageLayout,
  type Template,
  useOptions,
  useQuery,
  t,
} from '@tapline/console-kit';
import type { Survey } from '../../survey/questions.ts';
import { LaunchForm } from './launch-form.tsx';
import type { LaunchInfo, LaunchOptions } from './prompts.ts';

/** A template with everything it asks for. */
export const LaunchPage = ({ params }: { params: Record<string, string> }) => (
  <LaunchOf api="job_templates" id={Number(params['id'])} />
);

export const LaunchWorkflowPage = ({ params }: { params: Record<string, string> }) => (
  <LaunchOf api="workflow_job_templates" id={Number(params['id'])} />
);

function LaunchOf({ api, id }: { api: string; id: number }) {
  const template = useQuery<Template>(`${api}/${id}/`);
  const info = useQuery<LaunchInfo>(`${api}/${id}/launch/`);
  // labels, hints and choices of the prompts
  const options = useOptions(`${api}/${id}/launch/`);
  const found = template.data.value;
  const survey = useQuery<Survey>(info.data.value?.survey_enabled ? `${api}/${id}/survey_spec/` : null);
  const queries = [template, info, options, survey];
  const error = queries.map((query) => query.error.value).find((problem) => problem !== null);
  const again = async () => {
    await Promise.all(queries.map((query) => query.reload()));
  };
  const asks = info.data.value?.survey_enabled ? survey.data.value?.spec : [];
  return (
    <PageLayout title={found ? t`Launch ${found.name}` : t`Launch`} intro={found && <Intro template={found} />}>
      {error && <Failure error={error} what={t`template`} again={again} />}
      {!error && !(found && info.data.value && options.data.value && asks) && (
        <Loading what={t`what the template asks for`} />
      )}
      {found && !may(found, 'start') && <Notice tone="info">{t`You may see this template, but not launch it.`}</Notice>}
      {found && may(found, 'start') && info.data.value && options.data.value && asks && (
        <LaunchForm
          api={api}
          template={found}
          info={info.data.value}
          options={(options.data.value.actions.POST ?? {}) as LaunchOptions}
          questions={asks}
        />
      )}
    </PageLayout>
  );
}

function Intro({ template }: { template: Template }) {
  const { project, inventory } = template.summary_fields;
  return (
    <>
      {template.description && <p>{template.description}</p>}
      {template.playbook !== undefined && (
        <p class="muted">
          <code>{template.playbook}</code> {t`of ${project?.name ?? t`no project`}`}
          {inventory && <> {t`on ${inventory.name}`}</>}
        </p>
      )}
    </>
  );
}

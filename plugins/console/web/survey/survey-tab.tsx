import { apiOf, may, shown, type Tab, type TabProps, useQuery, t } from '@tapline/console-kit';
import { AskedSwitch } from './asked-switch.tsx';
import { QuestionList } from './question-list.tsx';
import type { Survey } from './questions.ts';
import { storeSurvey } from './store-survey.ts';

function SurveyView({ row, resource, reload }: TabProps) {
  const record = `${apiOf(resource)}${row.id}/`;
  const path = `${record}survey_spec/`;
  const survey = useQuery<Survey>(path);
  const editable = may(row, 'edit');
  return shown(survey, { what: t`survey`, loading: t`the survey` }, ({ spec = [] }) => (
    <>
      {editable && spec.length > 0 && (
        <AskedSwitch record={record} on={row['survey_enabled'] === true} reload={reload} />
      )}
      <QuestionList questions={spec} store={(questions) => storeSurvey(path, survey, questions)} editable={editable} />
    </>
  ));
}

export const surveyTab: Tab = { id: 'survey', label: t`Survey`, content: SurveyView };

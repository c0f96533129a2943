import { useSignal } from '@preact/signals';
import { attempt, CheckField, request, t } from '@tapline/console-kit';

interface Props {
  /** the template, below /api/v2/ */
  record: string;
  on: boolean;
  /** reads the template again */
  reload: () => Promise<void>;
}

/** Whether launches ask the survey, as it is stored: who leaves for a launch when it says so is asked. */
export function AskedSwitch({ record, on, reload }: Props) {
  // what it says is shown again, whatever the browser made of a click
  const storing = useSignal(false);
  const store = async (survey_enabled: boolean) => {
    if (storing.value) return;
    storing.value = true;
    if (await attempt(() => request('PATCH', record, { body: { survey_enabled } }))) await reload();
    storing.value = false;
  };
  return (
    <CheckField
      label={t`Ask these questions at each launch`}
      name="survey_enabled"
      checked={on}
      busy={storing.value}
      onValue={(value) => void store(value)}
    />
  );
}

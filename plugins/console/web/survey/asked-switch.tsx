import { useSignal } from '@preact/signals';
import { attempt, CheckField, request, t } from '@tapline/console-kit';

interface Props {
  /** the template, below /api/v2/ */
  record: string;
  on: boolean;
  /** reads the template again */
  reload: () => Promise<void>;
}

/** Whether launches ask the survey: as it was wanted while that is stored, then as it is, also where it was refused. */
export function AskedSwitch({ record, on, reload }: Props) {
  const wanted = useSignal<boolean | null>(null);
  const store = async (survey_enabled: boolean) => {
    wanted.value = survey_enabled;
    if (await attempt(() => request('PATCH', record, { body: { survey_enabled } }))) await reload();
    wanted.value = null;
  };
  return (
    <CheckField
      label={t`Ask these questions at each launch`}
      name="survey_enabled"
      checked={wanted.value ?? on}
      onValue={(value) => void store(value)}
    />
  );
}

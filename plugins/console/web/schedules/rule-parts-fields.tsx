import { ChoicesField, Field, type FieldProps, SelectField, TextField, useQuery, t } from '@tapline/console-kit';
import { type Frequency, type RuleParts, weekdays } from './rule-parts.ts';
import { dayName, monthlyWord } from './rule-words.ts';

interface Props {
  parts: RuleParts;
  /** of the whole rule: told where it begins */
  errors: readonly string[];
  onValue: (parts: RuleParts) => void;
}

const frequencyLabels: Record<Frequency, string> = {
  ONCE: t`Once`,
  MINUTELY: t`Minutes`,
  HOURLY: t`Hours`,
  DAILY: t`Days`,
  WEEKLY: t`Weeks`,
  MONTHLY: t`Months`,
  YEARLY: t`Years`,
};
const choices = Object.entries(frequencyLabels).map(([value, label]) => ({ value, label }));
const ends = [
  { value: 'never', label: t`Never` },
  { value: 'count', label: t`After a number of runs` },
  { value: 'until', label: t`At a time` },
];

export function RulePartsFields({ parts, errors, onValue }: Props) {
  const set = (name: keyof RuleParts) => (value: unknown) => onValue({ ...parts, [name]: value });
  const { frequency } = parts;
  return (
    <>
      <TimeField name="start" label={t`Start`} errors={errors} value={parts.start} onValue={set('start')} />
      <ZoneField value={parts.zone} onValue={set('zone')} />
      <SelectField
        name="frequency"
        label={t`Repeated by`}
        preset
        value={frequency}
        choices={choices}
        onValue={set('frequency')}
      />
      {frequency !== 'ONCE' && <Repetition parts={parts} set={set} />}
    </>
  );
}

interface RepetitionProps {
  parts: RuleParts;
  set: (name: keyof RuleParts) => (value: unknown) => void;
}

/** How often, on which days and until when. */
function Repetition({ parts, set }: RepetitionProps) {
  const { frequency } = parts;
  return (
    <>
      <TextField
        name="interval"
        label={t`Every how many ${frequencyLabels[frequency].toLowerCase()}`}
        type="number"
        preset
        value={parts.interval}
        onValue={set('interval')}
      />
      {frequency === 'WEEKLY' && (
        <ChoicesField
          name="days"
          label={t`On`}
          hint={t`None: the day of the start.`}
          values={parts.days}
          choices={weekdays.map((value) => ({ value, label: dayName(value) }))}
          onValues={set('days')}
        />
      )}
      {frequency === 'MONTHLY' && (
        <SelectField
          name="monthly"
          label={t`On`}
          preset
          value={parts.monthly}
          choices={[
            { value: 'day', label: t`Day ${Number(parts.start.slice(8, 10))} of the month` },
            { value: 'weekday', label: t`The ${monthlyWord(parts.start)} of the month` },
          ]}
          onValue={set('monthly')}
        />
      )}
      <SelectField name="ends" label={t`Ends`} preset value={parts.ends} choices={ends} onValue={set('ends')} />
      {parts.ends === 'count' && (
        <TextField
          name="count"
          label={t`How many runs`}
          type="number"
          preset
          value={parts.count}
          onValue={set('count')}
        />
      )}
      {parts.ends === 'until' && <TimeField name="until" label={t`Until`} value={parts.until} onValue={set('until')} />}
    </>
  );
}

interface TimeProps extends FieldProps {
  value: string;
  onValue: (value: string) => void;
}

const TimeField = ({ value, onValue, ...field }: TimeProps) => (
  <Field {...field} required>
    {(wiring) => (
      <input
        {...wiring}
        type="datetime-local"
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value.slice(0, 16))}
      />
    )}
  </Field>
);

function ZoneField({ value, onValue }: { value: string; onValue: (zone: string) => void }) {
  const { data } = useQuery<{ zones: string[] }>('schedules/zoneinfo/');
  const zones = [...new Set([value, 'UTC', ...(data.value?.zones ?? [])])];
  return (
    <SelectField
      name="zone"
      label={t`Time zone`}
      preset
      value={value}
      choices={zones.map((zone) => ({ value: zone, label: zone }))}
      onValue={onValue}
    />
  );
}

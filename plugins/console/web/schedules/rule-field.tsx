import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { CheckField, type CustomFieldProps, TextField, t } from '@tapline/console-kit';
import '../styles/schedule.css';
import { NextRuns, usePreview } from './next-runs.tsx';
import { firstParts, ruleParts, type RuleParts, ruleText } from './rule-parts.ts';
import { RulePartsFields } from './rule-parts-fields.tsx';
import { ruleWords } from './rule-words.ts';

/** When it runs: by fields, or as the text of the rule; below it what that comes to. */
export function RuleField({ value, onValue, errors }: CustomFieldProps) {
  const text = typeof value === 'string' ? value : '';
  const parts = useSignal<RuleParts | null>(text ? ruleParts(text, new Date()) : firstParts(new Date()));
  const written = useSignal(parts.value === null);
  const { preview, problems } = usePreview(text);
  // a new one has a rule from the start
  useEffect(() => void (!text && parts.value && onValue(ruleText(parts.value))), []);
  const change = (next: RuleParts) => {
    parts.value = next;
    onValue(ruleText(next));
  };
  const write = (on: boolean) => {
    if (!on) change(ruleParts(text, new Date()) ?? firstParts(new Date()));
    written.value = on;
  };
  const refused = useRefused(text, errors);
  const said = problems.length ? problems : refused;
  return (
    <fieldset class="inputs rule">
      <legend>{t`When it runs`}</legend>
      <CheckField
        name="written"
        label={t`Write the rule as text`}
        hint={t`For what these fields do not have: several rules, exceptions.`}
        checked={written.value}
        onValue={write}
      />
      {written.value || !parts.value ? (
        <RuleText text={text} errors={said} onValue={onValue} />
      ) : (
        <RulePartsFields parts={parts.value} errors={said} onValue={change} />
      )}
      <div aria-live="polite">
        {!written.value && parts.value && <p class="rule-words">{ruleWords(parts.value)}</p>}
        {said.length === 0 && preview && (
          <section aria-labelledby="next-runs-title">
            <h2 id="next-runs-title">{t`Next runs`}</h2>
            <NextRuns preview={preview} zone={parts.value?.zone} />
          </section>
        )}
      </div>
    </fieldset>
  );
}

function RuleText({ text, errors, onValue }: { text: string; errors: string[]; onValue: CustomFieldProps['onValue'] }) {
  return (
    <TextField
      name="rrule"
      label={t`Rule`}
      required
      code
      lines={4}
      hint={t`DTSTART and RRULE or several, EXRULE, as RFC 5545 has them.`}
      value={text}
      errors={errors}
      onValue={onValue}
    />
  );
}

/** What the service said when it refused this very text: once it is changed, that is of another one. */
function useRefused(text: string, errors: CustomFieldProps['errors']): string[] {
  const refused = useRef({ errors, text });
  if (refused.current.errors !== errors) refused.current = { errors, text };
  return refused.current.text === text ? (errors['rrule'] ?? []) : [];
}

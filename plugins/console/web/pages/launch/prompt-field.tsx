import {
  CheckField,
  type Choice,
  ChoicesField,
  CodeField,
  type Page,
  SelectField,
  TextField,
  useQuery,
  t,
} from '@tapline/console-kit';
import type { OptionField, Prompt, Value } from './prompts.ts';

interface Props {
  prompt: Prompt;
  option: OptionField | undefined;
  required: boolean;
  value: Value;
  errors: readonly string[] | undefined;
  onValue: (value: Value) => void;
}

export function PromptField(props: Props) {
  const { prompt, option, required, value, errors, onValue } = props;
  const { key: name, kind, label } = prompt;
  const hint = prompt.hint ?? option?.help_text;
  const preset = value !== '';
  const field = { name, label, errors, required, preset, ...(hint ? { hint } : {}) };
  if (prompt.list) return <ListedField {...props} />;
  if (kind === 'check') return <CheckField {...field} checked={value as boolean} onValue={onValue} />;
  if (kind === 'choice') {
    const choices = (option?.choices ?? []).map(([choice, text]) => ({ value: String(choice), label: text }));
    return <SelectField {...field} choices={choices} value={value as string} onValue={onValue} />;
  }
  const text = { ...field, value: value as string, onValue };
  if (kind === 'code') return <CodeField {...text} language="yaml" />;
  return <TextField {...text} type={kind === 'number' ? 'number' : 'text'} />;
}

interface Listed {
  id: number;
  name: string;
  summary_fields?: { credential_type?: { name: string } };
}

/** Objects of the caller to choose from. What this version of the service does not have is not asked for. */
function ListedField({ prompt, option, required, value, errors, onValue }: Props) {
  const { data, error } = useQuery<Page<Listed>>(`${prompt.list}/?order_by=name&page_size=200`);
  if (error.value?.status === 404) return null;
  const choices: Choice[] = (data.value?.results ?? []).map((object) => ({
    value: String(object.id),
    label: object.summary_fields?.credential_type
      ? `${object.name} (${object.summary_fields.credential_type.name})`
      : object.name,
  }));
  const hint = error.value ? error.value.message : (prompt.hint ?? option?.help_text);
  const field = { name: prompt.key, label: prompt.label, errors, ...(hint ? { hint } : {}) };
  if (prompt.kind === 'many')
    return <ChoicesField {...field} choices={choices} values={value as string[]} onValues={onValue} />;
  return (
    <SelectField
      {...field}
      required={required}
      preset={value !== ''}
      choices={choices}
      empty={data.value ? t`Choose one` : t`Loading …`}
      value={value as string}
      onValue={onValue}
    />
  );
}

import { CheckField, CodeField, RecordField, RecordsField, SelectField, TextField } from '@tapline/console-kit';
import type { OptionField, Prompt, Value } from './prompts.ts';

interface Props {
  prompt: Prompt;
  option: OptionField | undefined;
  required: boolean;
  value: Value;
  errors: readonly string[] | undefined;
  onValue: (value: Value) => void;
}

export function PromptField({ prompt, option, required, value, errors, onValue }: Props) {
  const { key: name, kind, label } = prompt;
  const hint = prompt.hint ?? option?.help_text;
  const preset = value !== '';
  const field = { name, label, errors, required, preset, ...(hint ? { hint } : {}) };
  // what this version of the service has no list of is not asked for
  if (prompt.list && kind === 'many')
    return <RecordsField {...field} list={prompt.list} values={value as string[]} onValues={onValue} />;
  if (prompt.list) return <RecordField {...field} list={prompt.list} value={value as string} onValue={onValue} />;
  if (kind === 'check') return <CheckField {...field} checked={value as boolean} onValue={onValue} />;
  if (kind === 'choice') {
    const choices = (option?.choices ?? []).map(([choice, text]) => ({ value: String(choice), label: text }));
    return <SelectField {...field} choices={choices} value={value as string} onValue={onValue} />;
  }
  const text = { ...field, value: value as string, onValue };
  if (kind === 'code') return <CodeField {...text} language="yaml" />;
  return <TextField {...text} type={kind === 'number' ? 'number' : 'text'} />;
}

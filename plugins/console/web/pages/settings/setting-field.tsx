import { useSignal } from '@preact/signals';
import {
  CheckField,
  Code,
  CodeField,
  type FieldProps,
  masked,
  SecretField,
  SelectField,
  TextField,
  t,
} from '@tapline/console-kit';
import { isStructured, type SettingOption } from './setting-values.ts';

interface Props {
  name: string;
  option: SettingOption;
  readOnly: boolean;
  value: any;
  errors: string[] | undefined;
  onValue: (value: any) => void;
  /** puts it back to what lies below what was changed here */
  onReset?: (() => Promise<void>) | undefined;
}

/** In one word or two. */
export const originWords: Record<string, string> = {
  environment: t`environment`,
  database: t`changed here`,
  file: t`configuration file`,
  default: t`default`,
};

const origins: Record<string, string> = {
  environment: t`Set by the environment of the service: it cannot be changed here.`,
  database: t`Changed here.`,
  file: t`Set by the configuration file of the service.`,
  default: t`As it comes.`,
};

/** A setting with what it does, where its value comes from, and the way back where it was changed here. */
export function SettingField({ onReset, ...setting }: Props) {
  const sending = useSignal(false);
  if (!onReset || setting.readOnly) return <Control {...setting} />;
  const reset = async () => {
    if (sending.value) return;
    sending.value = true;
    await onReset();
    sending.value = false;
  };
  return (
    <div class="setting">
      <Control {...setting} />
      <button type="button" aria-disabled={sending.value} onClick={() => void reset()}>
        {t`Back to its default`}
        <span class="visually-hidden"> {setting.option.label}</span>
      </button>
    </div>
  );
}

function Control({ name, option, readOnly, value, errors, onValue }: Omit<Props, 'onReset'>) {
  const notes = [option.help_text, option.unit && t`In ${option.unit}.`, origins[option.origin ?? '']];
  const field: FieldProps = { name, label: option.label, hint: notes.filter(Boolean).join(' '), errors, preset: true };
  if (readOnly)
    return (
      <div class="field">
        <p class="label">{option.label}</p>
        <Code text={shown(value)} />
        <p class="hint">{field.hint}</p>
      </div>
    );
  if (option.secret) return <SecretField {...field} value={value} onValue={onValue} />;
  if (option.type === 'boolean') return <CheckField {...field} checked={value} onValue={onValue} />;
  if (option.choices && option.type === 'choice') {
    const choices = option.choices.map(([choice, label]) => ({ value: String(choice), label: label || '–' }));
    return <SelectField {...field} value={value} choices={choices} onValue={onValue} />;
  }
  const structured = isStructured(option);
  if (structured) return <CodeField {...field} value={value} onValue={onValue} language="json" />;
  const type = option.type === 'integer' || option.type === 'float' ? 'number' : 'text';
  return <TextField {...field} value={value} onValue={onValue} type={type} />;
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? t`Yes` : t`No`;
  return value === masked ? t`A value is stored.` : String(value || '–');
}

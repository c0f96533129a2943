import {
  CheckField,
  type CustomFieldProps,
  type FieldOption,
  type FieldProps,
  SecretField,
  TextField,
  useOptions,
  t,
} from '@tapline/console-kit';

/** A field of a kind of notifications, as OPTIONS describes it. */
export interface KindField {
  label: string;
  type: 'string' | 'int' | 'bool' | 'list' | 'object' | 'password';
  default?: unknown;
  optional?: boolean;
  help?: string;
}

const api = 'notification_templates/';
const lines = 4;

/** Of OPTIONS, what a field says of one kind. */
export function useOfKind(field: string, kind: string): any {
  const options = useOptions(api).data.value;
  const fields = options?.actions.POST ?? options?.actions.GET ?? {};
  return (fields[field] as (FieldOption & Record<string, unknown>) | undefined)?.[kind];
}

/** Where to and with what: the fields of the chosen kind. */
export function ConfigurationField({ value, onValue, errors, values }: CustomFieldProps) {
  const kind = String(values['notification_type'] ?? '');
  const fields: Record<string, KindField> | undefined = useOfKind('notification_configuration', kind);
  const given = (value ?? {}) as Record<string, unknown>;
  return (
    <fieldset
      class="inputs"
      aria-invalid={errors['notification_configuration'] ? 'true' : undefined}
      tabIndex={errors['notification_configuration'] ? -1 : undefined}
    >
      <legend>{fields ? t`Where to and with what` : t`Choose the notification type to see what it asks for`}</legend>
      {errors['notification_configuration'] && <p class="error">{errors['notification_configuration'].join(' ')}</p>}
      {Object.entries(fields ?? {}).map(([name, field]) => (
        <Input
          key={`${kind}.${name}`}
          name={name}
          field={field}
          value={name in given ? given[name] : field.default}
          errors={errors[`notification_configuration.${name}`]}
          onValue={(next) => onValue({ ...complete(fields ?? {}, given), [name]: next })}
        />
      ))}
    </fieldset>
  );
}

/** Only fields of the kind, each with a value: the service asks for all of them, empty ones included. */
export function complete(fields: Record<string, KindField>, given: Record<string, unknown>): Record<string, unknown> {
  const all = Object.entries(fields).map(([name, field]) => [name, given[name] ?? field.default ?? emptyOf(field)]);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

function emptyOf({ type, optional }: KindField): unknown {
  if (optional) return undefined;
  return { string: '', password: '', bool: false, list: [], object: {}, int: undefined }[type];
}

interface InputProps {
  name: string;
  field: KindField;
  value: unknown;
  errors: string[] | undefined;
  onValue: (value: unknown) => void;
}

function Input({ name, field, value, errors, onValue }: InputProps) {
  const { type, label, optional = false, help } = field;
  const common: FieldProps = { name, label, errors, required: !optional && field.default === undefined, hint: help };
  if (type === 'bool') return <CheckField {...common} checked={value === true} onValue={onValue} />;
  const text = { ...common, preset: field.default !== undefined && field.default !== '' };
  if (type === 'list')
    return (
      <TextField
        {...text}
        lines={lines}
        hint={help ?? t`One on each line.`}
        value={Array.isArray(value) ? value.join('\n') : ''}
        onValue={(next) => onValue(next === '' ? [] : next.split('\n'))}
      />
    );
  if (type === 'object') return <ObjectInput {...text} value={value} onValue={onValue} />;
  if (type === 'int')
    return (
      <TextField
        {...text}
        type="number"
        value={String(value ?? '')}
        onValue={(next) => onValue(next === '' ? undefined : Number(next))}
      />
    );
  const own = { ...text, value: String(value ?? ''), onValue };
  return type === 'password' ? <SecretField {...own} /> : <TextField {...own} />;
}

/** What is no JSON yet is kept as it is typed; the service says what is wrong with it. */
function ObjectInput({ value, onValue, ...field }: FieldProps & { value: unknown; onValue: (value: unknown) => void }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? {}, null, 2);
  const read = (next: string): unknown => {
    try {
      return JSON.parse(next);
    } catch {
      return next;
    }
  };
  return (
    <TextField {...field} code lines={lines} hint={t`JSON`} value={text} onValue={(next) => onValue(read(next))} />
  );
}

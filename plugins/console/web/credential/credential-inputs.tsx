import { useLayoutEffect, useRef } from 'preact/hooks';
import {
  CheckField,
  type CustomFieldProps,
  type FieldProps,
  type Row,
  SecretField,
  SelectField,
  TextField,
  useQuery,
  t,
} from '@tapline/console-kit';

/** A field of a credential, as its type declares it. */
interface Input {
  id: string;
  label: string;
  type?: 'string' | 'boolean';
  help_text?: string;
  secret?: boolean;
  multiline?: boolean;
  format?: string;
  choices?: string[];
  default?: string | boolean;
}

const lines = 6;

/** The fields that the chosen type of the credential asks for. */
export function CredentialInputs({ value, onValue, errors, values }: CustomFieldProps) {
  useInputsOfType(String(values['credential_type']), value, onValue);
  const type = useQuery<Row>(values['credential_type'] ? `credential_types/${values['credential_type']}/` : null);
  const { fields = [], required = [] } = (type.data.value?.['inputs'] ?? {}) as {
    fields?: Input[];
    required?: string[];
  };
  // left out, an input has its default again: one that is emptied on purpose says so
  const set = ({ id, default: initial }: Input, next: unknown) => {
    const { [id]: _, ...rest } = value;
    onValue(next === '' && initial === undefined ? rest : { ...rest, [id]: next });
  };
  return (
    <fieldset
      class="inputs"
      aria-invalid={errors['inputs'] && !fields.some(({ id }) => errors[`inputs.${id}`]) ? 'true' : undefined}
      tabIndex={-1}
    >
      <legend>
        {type.data.value ? `${type.data.value['name']}` : t`Choose the credential type to see what it asks for`}
      </legend>
      {errors['inputs'] && !fields.some(({ id }) => errors[`inputs.${id}`]) && (
        <p class="error">{errors['inputs'].join(' ')}</p>
      )}
      {fields.map((input) => (
        <InputField
          key={`${values['credential_type']} ${input.id}`}
          input={input}
          required={required.includes(input.id)}
          value={value[input.id] ?? input.default}
          errors={errors[`inputs.${input.id}`]}
          onValue={(next) => set(input, next)}
        />
      ))}
    </fieldset>
  );
}

/** Another type asks for other inputs, which mean something else by the same name; what was typed for one waits there. */
function useInputsOfType(type: string, value: any, onValue: (value: any) => void): void {
  const typed = useRef(new Map<string, any>());
  const last = useRef(type);
  useLayoutEffect(() => {
    if (type === last.current) return;
    typed.current.set(last.current, value);
    last.current = type;
    onValue(typed.current.get(type) ?? {});
  }, [type]);
}

interface InputProps {
  input: Input;
  required: boolean;
  value: unknown;
  errors: string[] | undefined;
  onValue: (value: unknown) => void;
}

function InputField({ input, required, value, errors, onValue }: InputProps) {
  const { label, help_text: hint } = input;
  const field: FieldProps = { name: `inputs.${input.id}`, label: label || input.id, hint, errors, required };
  if (input.type === 'boolean') return <CheckField {...field} checked={value === true} onValue={onValue} />;
  const text = String(value ?? '');
  if (input.choices)
    return (
      <SelectField
        {...field}
        value={text}
        empty={t`None`}
        choices={input.choices.map((choice) => ({ value: choice, label: choice }))}
        onValue={onValue}
      />
    );
  const long = input.multiline || input.format === 'ssh_private_key';
  const Text = input.secret ? SecretField : TextField;
  return <Text {...field} value={text} onValue={onValue} code={Boolean(long)} lines={long ? lines : 1} />;
}

import { useEffect } from 'preact/hooks';
import { type CustomFieldProps, type Row, SelectField, TextField, useQuery, t } from '@tapline/console-kit';

interface Input {
  id: string;
  label: string;
  help_text?: string;
}

/** What the type of a credential declares of its inputs. */
function useInputsOf(credential: unknown) {
  const { data } = useQuery<Row>(credential ? `credentials/${Number(credential)}/` : null);
  const type = data.value?.['credential_type'];
  const found = useQuery<Row>(type ? `credential_types/${type}/` : null).data.value;
  return (found?.['inputs'] ?? {}) as { fields?: Input[]; metadata?: Input[]; required?: string[] };
}

/** The input that is looked up: one that the type of the credential has. */
export function InputName({ value, onValue, errors, values }: CustomFieldProps) {
  const { fields = [] } = useInputsOf(values['target_credential']);
  const choices = fields.map(({ id, label }) => ({ value: id, label }));
  const known = choices.some((choice) => choice.value === value);
  return (
    <SelectField
      name="input_field_name"
      label={t`Input`}
      required
      empty={t`Choose one`}
      errors={errors['input_field_name']}
      value={String(value ?? '')}
      choices={known || !value ? choices : [...choices, { value: String(value), label: String(value) }]}
      onValue={onValue}
    />
  );
}

/** Which secret it is: what the type of the source asks for. */
export function SourceMetadata({ value, onValue, errors, values }: CustomFieldProps) {
  const { metadata = [], required = [] } = useInputsOf(values['source_credential']);
  // what another source asked for is nothing to this one
  useEffect(() => {
    const own = Object.entries(value ?? {}).filter(([id]) => metadata.some((input) => input.id === id));
    if (metadata.length && own.length < Object.keys(value ?? {}).length) onValue(Object.fromEntries(own));
  }, [metadata]);
  return (
    <fieldset class="inputs" aria-invalid={errors['metadata'] ? 'true' : undefined} tabIndex={-1}>
      <legend>{metadata.length ? t`Which secret` : t`Choose where it is looked up to see what that asks for`}</legend>
      {errors['metadata'] && <p class="error">{errors['metadata'].join(' ')}</p>}
      {metadata.map(({ id, label, help_text: hint }) => (
        <TextField
          key={id}
          name={`metadata.${id}`}
          label={label}
          hint={hint}
          required={required.includes(id)}
          errors={errors[`metadata.${id}`]}
          value={String(value?.[id] ?? '')}
          onValue={(typed) => {
            const { [id]: _, ...others } = value ?? {};
            onValue(typed === '' ? others : { ...others, [id]: typed });
          }}
        />
      ))}
    </fieldset>
  );
}

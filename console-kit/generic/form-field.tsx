import { t } from '../texts/t.ts';
import { useEffect, useId, useRef } from 'preact/hooks';
import { useQuery } from '../api/query.ts';
import type { Page } from '../api/types.ts';
import { CheckField, Field, type FieldProps, SelectField, TextField } from '../components/field.tsx';
import { SecretField } from '../components/secret-field.tsx';
import { labelOfRow, relationOf, searched } from '../resources/relations.ts';
import type { FieldOption, Resource, Row } from '../resources/resource.ts';
import { CodeField } from '../editor/code-field.tsx';
import { isObject, type Values } from './form-values.ts';
import { RelationPicker } from './relation-picker.tsx';

interface Props {
  name: string;
  option: FieldOption;
  resource: Resource;
  row: Row | null;
  values: Values;
  errors: Record<string, string[]>;
  onValue: (value: any) => void;
}

/** One field of a form, by what OPTIONS says of it. */
export function FormField({ name, option, resource, row, values, errors, onValue }: Props) {
  const Custom = resource.custom?.[name];
  if (Custom) return <Custom value={values[name]} onValue={onValue} errors={errors} values={values} />;
  const value = values[name];
  const common: FieldProps = {
    name,
    label: option.label,
    hint: option.help_text,
    errors: errors[name],
    required: option.required ?? false,
  };
  if (option.secret)
    return (
      <SecretField {...common} value={value} onValue={onValue} lasting={resource.lasting?.includes(name) ?? false} />
    );
  const list = relationOf(name, resource.relations);
  if (list) {
    const linked = row?.summary_fields[name];
    const known = linked && String(linked.id) === value ? labelOfRow(linked) : undefined;
    return <RelationField {...common} list={list} value={value} known={known} onValue={onValue} />;
  }
  if (option.type === 'boolean') return <CheckField {...common} checked={Boolean(value)} onValue={onValue} />;
  if (option.choices) return <ChoiceField {...common} option={option} value={value} onValue={onValue} />;
  const suggest = resource.suggestions?.[name];
  if (suggest) return <SuggestField {...common} path={suggest(values)} value={value} onValue={onValue} />;
  const structured = option.type === 'json' || option.type === 'list' || option.type === 'object';
  if (structured) {
    const json = option.type !== 'json' || isObject(name, row?.[name]);
    return <CodeField {...common} value={value} onValue={onValue} language={json ? 'json' : 'yaml'} />;
  }
  return (
    <TextField
      {...common}
      value={value}
      onValue={onValue}
      type={['integer', 'float', 'decimal'].includes(option.type) ? 'number' : 'text'}
    />
  );
}

interface RelationProps extends FieldProps {
  list: string;
  value: string;
  known: string | undefined;
  onValue: (value: string) => void;
}

/** Where one must be chosen and there is but one, it is chosen at first. */
function RelationField({ known, ...props }: RelationProps) {
  const { list, name, value, required, onValue } = props;
  const asked = useRef(required && value === '' ? searched(list, { page_size: '2' }) : null);
  const { data } = useQuery<Page<Row>>(asked.current);
  const only = data.value?.count === 1 ? data.value.results[0] : undefined;
  // once: who empties the field means it, and nothing comes between what somebody types there
  useEffect(() => {
    if (only && value === '' && !isTypedIn(name)) onValue(String(only.id));
  }, [only !== undefined]);
  const chosen = only && String(only.id) === value ? labelOfRow(only) : known;
  return <RelationPicker {...props} known={chosen} />;
}

const isTypedIn = (name: string | undefined) => document.activeElement?.getAttribute('name') === name;

function ChoiceField({
  option,
  ...field
}: FieldProps & { option: FieldOption; value: string; onValue: (value: string) => void }) {
  const choices = option.choices!.map(([value, label]) => ({ value: String(value), label: label || '–' }));
  const none = choices.some(({ value }) => value === '') ? {} : { empty: t`Choose one` };
  return <SelectField {...field} preset={field.value !== ''} choices={choices} {...none} />;
}

/** Free text with what is known to be there. */
function SuggestField({
  path,
  value,
  onValue,
  ...field
}: FieldProps & { path: string | null; value: string; onValue: (value: string) => void }) {
  const id = useId();
  const { data } = useQuery<string[]>(path);
  const texts = Array.isArray(data.value) ? data.value : [];
  return (
    <Field {...field}>
      {(wiring) => (
        <>
          <input
            {...wiring}
            type="text"
            list={id}
            value={value}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
          <datalist id={id}>
            {texts.map((text) => (
              <option key={text} value={text} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import {
  ApiFailure,
  type FieldErrors,
  type Fields,
  Form,
  FormField,
  initialValues,
  type Resource,
  type Row,
  sentBody,
  TextField,
  t,
} from '@tapline/console-kit';
import type { Answer } from './ask.ts';

interface Props {
  method: string;
  fields: Fields;
  /** what is changed; null where something is made or done */
  row: Row | null;
  /** resolves to the answer, or to undefined where it is shown elsewhere */
  send: (method: string, body: string) => Promise<Answer>;
}

/** Nothing is known of what is written to but what OPTIONS says. */
const unknown: Resource = { path: '', type: '', one: '', many: '', columns: [] };

/** What a path takes, as a form of its fields or as JSON. */
export function WriteForm(props: Props) {
  const raw = useSignal(Object.keys(props.fields).length === 0);
  const { method } = props;
  return (
    <section aria-label={method}>
      <h2>{method}</h2>
      <p class="modes">
        {[false, true].map((one) => (
          <button
            key={String(one)}
            type="button"
            aria-pressed={raw.value === one}
            onClick={() => void (raw.value = one)}
          >
            {one ? t`JSON` : t`Fields`}
          </button>
        ))}
      </p>
      {raw.value ? <RawForm {...props} /> : <FieldsForm {...props} />}
    </section>
  );
}

/** Turns what the service refused into errors at their fields. */
async function accepted(sent: Promise<Answer>): Promise<void> {
  const { status, body } = await sent;
  if (status === 0 || status >= 400) throw new ApiFailure(status, body ?? null);
}

function FieldsForm({ method, fields, row, send }: Props) {
  const start = useMemo(() => initialValues(fields, unknown, row), []);
  const values = useSignal(start);
  const errors = useSignal<FieldErrors>({});
  const names = Object.keys(fields).toSorted((a, b) => Number(fields[b]!.required) - Number(fields[a]!.required));
  const submit = () => accepted(send(method, JSON.stringify(sentBody(fields, unknown, values.value, start, row))));
  return (
    <Form submit={method} busy={t`Sending …`} errors={errors} known={names} onSubmit={submit}>
      {names.length === 0 && <p class="muted">{t`It takes no fields.`}</p>}
      {names.map((name) => (
        <FormField
          key={name}
          name={name}
          option={fields[name]!}
          resource={unknown}
          row={row}
          values={values.value}
          errors={errors.value}
          onValue={(value) => void (values.value = { ...values.value, [name]: value })}
        />
      ))}
    </Form>
  );
}

function RawForm({ method, fields, row, send }: Props) {
  const text = useSignal(useMemo(() => JSON.stringify(suggested(fields, row), null, 2), []));
  const errors = useSignal<FieldErrors>({});
  return (
    <Form
      submit={method}
      busy={t`Sending …`}
      errors={errors}
      known={[]}
      onSubmit={() => accepted(send(method, text.value))}
    >
      <TextField
        name="body"
        label={t`Body, as JSON`}
        required
        lines={12}
        code
        value={text.value}
        onValue={(value) => void (text.value = value)}
      />
    </Form>
  );
}

/** Every field that may be written, with what it is now or would be. */
function suggested(fields: Fields, row: Row | null): Record<string, unknown> {
  const named = Object.entries(fields).map(([name, option]) => [
    name,
    row ? row[name] : (option.default ?? empty(option)),
  ]);
  return Object.fromEntries(named);
}

const empty = ({ type }: { type: string }) => (['string', 'field', 'choice'].includes(type) ? '' : null);

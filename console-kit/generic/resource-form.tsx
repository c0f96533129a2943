import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { ApiFailure, type FieldErrors, post, request } from '../api/http.ts';
import { Form } from '../components/form.tsx';
import { apiOf, type FieldOption, type Resource, type Row } from '../resources/resource.ts';
import { FormField } from './form-field.tsx';
import { arranged, type Fields, initialValues, sentBody } from './form-values.ts';

interface Props {
  resource: Resource;
  fields: Fields;
  /** null makes a new one */
  row: Row | null;
  /** values of the address for a new one */
  suggested?: URLSearchParams;
  onDone: (row: Row) => void;
  onCancel: () => void;
}

/** Creates or changes a record; which fields there are, OPTIONS says. */
export function ResourceForm({ resource, fields, row, suggested, onDone, onCancel }: Props) {
  const start = useMemo(() => initialValues(fields, resource, row, suggested), []);
  const values = useSignal(start);
  const errors = useSignal<FieldErrors>({});
  const { first, more } = useMemo(() => arranged(fields, resource), [fields, resource]);
  const sent = useRef(false);
  /** as it was when somebody first touched the form: what fields fill in by themselves is typed by nobody */
  const drawn = useRef(start);
  const typed = () => !sent.current && JSON.stringify(values.peek()) !== JSON.stringify(drawn.current);

  const submit = async () => {
    const body = sentBody(fields, resource, values.value, start, row);
    const api = apiOf(resource);
    const answer = row ? request<Row>('PATCH', `${api}${row.id}/`, { body }) : post<Row>(api, body);
    const done = await answer.catch((error: unknown) => {
      throw error instanceof ApiFailure ? insideOut(error, resource) : error;
    });
    sent.current = true;
    onDone(done);
  };
  const field = (name: string) => (
    <FormField
      key={name}
      name={name}
      option={fields[name] as FieldOption}
      resource={resource}
      row={row}
      values={values.value}
      errors={errors.value}
      onValue={(value) => void (values.value = { ...values.value, [name]: value })}
    />
  );
  return (
    <Form
      submit={row ? t`Save` : t`Create ${resource.one}`}
      errors={errors}
      known={[...first, ...more]}
      onSubmit={submit}
      typed={typed}
      onBegin={() => void (drawn.current = values.peek())}
      onCancel={onCancel}
    >
      {first.map(field)}
      {more.length > 0 && (
        <details class="more" open={more.some((name) => errors.value[name])}>
          <summary>{t`More`}</summary>
          {more.map(field)}
        </details>
      )}
    </Form>
  );
}

/** Errors inside an object stand at the parts of the field that look after themselves: `inputs.username`. */
function insideOut(failure: ApiFailure, { custom = {} }: Resource): ApiFailure {
  if (failure.status !== 400 || typeof failure.body !== 'object' || failure.body === null) return failure;
  const body = { ...failure.body };
  for (const name of Object.keys(custom)) {
    const inner = body[name];
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) continue;
    for (const [part, texts] of Object.entries(inner)) body[`${name}.${part}`] = texts;
  }
  return new ApiFailure(400, body);
}

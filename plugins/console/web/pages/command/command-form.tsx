import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import {
  ApiFailure,
  type FieldErrors,
  type Fields,
  Form,
  FormField,
  go,
  initialValues,
  pageOf,
  type Resource,
  sentBody,
  t,
  useLauncher,
} from '@tapline/console-kit';
import { explain } from '../launch/launch-form.tsx';
import { PasswordFields } from '../launch/password-fields.tsx';

const first = ['module_name', 'module_args', 'credential', 'limit', 'become_enabled'];
const command: Resource = {
  path: 'ad_hoc_commands',
  type: 'ad_hoc_command',
  one: t`command`,
  many: t`commands`,
  columns: [],
  relations: { credential: 'credentials/?credential_type__kind=ssh' },
};

interface Props {
  /** the list that it is posted to, below /api/v2/ */
  list: string;
  fields: Fields;
  suggested: URLSearchParams;
  onCancel: () => void;
}

/** What is run on the hosts of a record, once. */
export function CommandForm({ list, fields, suggested, onCancel }: Props) {
  const start = useMemo(() => initialValues(fields, command, null, suggested), []);
  const values = useSignal(start);
  const names = useSignal<readonly string[]>([]);
  const passwords = useSignal<Record<string, string>>({});
  const errors = useSignal<FieldErrors>({});
  const launch = useLauncher();
  const submit = async () => {
    const body = { ...sentBody(fields, command, values.value, start, null), ...passwords.value };
    try {
      const { type, id } = await launch<{ type: string; id: number }>(list, body);
      go(pageOf(type, id) ?? '/jobs');
    } catch (error) {
      const needed = error instanceof ApiFailure ? error.body?.passwords_needed_to_start : undefined;
      if (Array.isArray(needed)) names.value = needed;
      throw error;
    }
  };
  const field = (name: string) => (
    <FormField
      key={name}
      name={name}
      option={fields[name]!}
      resource={command}
      row={null}
      values={values.value}
      errors={errors.value}
      onValue={(value) => void (values.value = { ...values.value, [name]: value })}
    />
  );
  const rest = Object.keys(fields).filter((name) => !first.includes(name));
  return (
    <Form
      submit={t`Run command`}
      busy={t`Starting …`}
      errors={errors}
      known={Object.keys(fields)}
      onSubmit={submit}
      onCancel={onCancel}
      explain={explain}
    >
      {first.filter((name) => fields[name]).map(field)}
      <PasswordFields names={names.value} passwords={passwords} errors={errors.value} />
      <details class="more" open={rest.some((name) => errors.value[name])}>
        <summary>{t`More`}</summary>
        {rest.map(field)}
      </details>
    </Form>
  );
}

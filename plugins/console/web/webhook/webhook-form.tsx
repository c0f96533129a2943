import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import {
  apiOf,
  type FieldErrors,
  type Fields,
  Form,
  FormField,
  initialValues,
  request,
  type Resource,
  type Row,
  sentBody,
  toast,
  t,
} from '@tapline/console-kit';
import { webhookFields } from './webhook-tab.ts';

interface Props {
  row: Row;
  resource: Resource;
  /** all that may be changed */
  fields: Fields;
  onDone: () => Promise<void>;
}

/** The service that sends webhooks, and the token by which it is told how their runs went. */
export function WebhookForm({ row, resource, fields, onDone }: Props) {
  const own = useMemo(() => {
    const offered = webhookFields.filter((name) => fields[name]);
    return Object.fromEntries(offered.map((name) => [name, fields[name]!]));
  }, [fields]);
  const start = useMemo(() => initialValues(own, resource, row), []);
  const values = useSignal(start);
  const errors = useSignal<FieldErrors>({});
  const { webhook_service: service } = values.value;
  const list = `credentials/?credential_type__namespace=${service}_token`;
  const of: Resource = { ...resource, relations: { ...resource.relations, webhook_credential: list } };
  const submit = async () => {
    const body = sentBody(own, resource, values.value, start, row);
    await request('PATCH', `${apiOf(resource)}${row.id}/`, { body });
    toast(t`The webhook is saved.`, 'good');
    await onDone();
  };
  const change = (name: string, value: unknown) => {
    // a token of one service is none for another
    const others = name === 'webhook_service' && 'webhook_credential' in own ? { webhook_credential: '' } : {};
    values.value = { ...values.value, ...others, [name]: value };
  };
  const names = Object.keys(own).filter((name) => service || name === 'webhook_service');
  return (
    <Form submit={t`Save`} errors={errors} known={names} onSubmit={submit}>
      {names.map((name) => (
        <FormField
          key={name === 'webhook_credential' ? `${name} ${service}` : name}
          name={name}
          option={own[name]!}
          resource={of}
          row={row}
          values={values.value}
          errors={errors.value}
          onValue={(value) => change(name, value)}
        />
      ))}
    </Form>
  );
}

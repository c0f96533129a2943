import { useSignal } from '@preact/signals';
import {
  ApiFailure,
  Dialog,
  type FieldErrors,
  Form,
  post,
  type Row,
  type TabProps,
  TextField,
  toast,
  useQuery,
  t,
} from '@tapline/console-kit';

interface Metadata {
  id: string;
  label: string;
  help_text?: string;
}

/** Those that look secrets up elsewhere can be tried: which secret, the type asks. */
export function TestCredential({ row }: TabProps) {
  const open = useSignal(false);
  const kind = useQuery<Row>(row['credential_type'] ? `credential_types/${row['credential_type']}/` : null).data.value;
  if (kind?.['kind'] !== 'external') return null;
  return (
    <>
      <button type="button" onClick={() => void (open.value = true)}>{t`Test`}</button>
      {open.value && (
        <TestDialog
          row={row}
          metadata={kind['inputs']?.metadata ?? []}
          required={kind['inputs']?.required ?? []}
          onClose={() => void (open.value = false)}
        />
      )}
    </>
  );
}

interface Props {
  row: Row;
  metadata: Metadata[];
  required: string[];
  onClose: () => void;
}

function TestDialog({ row, metadata, required, onClose }: Props) {
  const values = useSignal<Record<string, string>>({});
  const errors = useSignal<FieldErrors>({});
  const test = async () => {
    const given = Object.fromEntries(Object.entries(values.value).filter(([, value]) => value !== ''));
    await post(`credentials/${row.id}/test/`, { metadata: given }).catch((error: unknown) => {
      throw error instanceof ApiFailure ? asAsked(error) : error;
    });
    toast(t`The secret was found.`, 'good');
    onClose();
  };
  return (
    <Dialog title={t`Test ${row['name']}`} onClose={onClose}>
      <Form
        submit={t`Look it up`}
        busy={t`Looking …`}
        errors={errors}
        known={metadata.map(({ id }) => id)}
        onSubmit={test}
        onCancel={onClose}
      >
        {metadata.map(({ id, label, help_text }) => (
          <TextField
            key={id}
            name={id}
            label={label}
            hint={help_text}
            required={required.includes(id)}
            errors={errors.value[id]}
            value={values.value[id] ?? ''}
            onValue={(value) => void (values.value = { ...values.value, [id]: value })}
          />
        ))}
      </Form>
    </Dialog>
  );
}

/** The service puts what is wrong with the fields below `metadata`, and why nothing was found at `inputs`. */
function asAsked(failure: ApiFailure): ApiFailure {
  const { metadata, inputs } = failure.body ?? {};
  if (failure.status !== 400) return failure;
  if (typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata))
    return new ApiFailure(400, metadata);
  return typeof inputs === 'string' ? new ApiFailure(400, { detail: inputs }) : failure;
}

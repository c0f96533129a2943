import { t } from '../texts/t.ts';
import { useSignal } from '@preact/signals';
import { type FieldErrors, post } from '../api/http.ts';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { toast } from '../components/toasts.tsx';
import { go } from '../router.ts';
import { pageOf } from '../resources/links.ts';
import { nameOf, type Resource, type Row } from '../resources/resource.ts';

/** Makes another one like it, under a name that is asked for. */
export function CopyButton({ resource, row }: { resource: Resource; row: Row }) {
  const open = useSignal(false);
  return (
    <>
      <button type="button" onClick={() => void (open.value = true)}>{t`Copy`}</button>
      {open.value && <CopyDialog resource={resource} row={row} onClose={() => void (open.value = false)} />}
    </>
  );
}

function CopyDialog({ resource, row, onClose }: { resource: Resource; row: Row; onClose: () => void }) {
  const name = useSignal(t`${nameOf(resource, row)} copy`);
  const errors = useSignal<FieldErrors>({});
  const copy = async () => {
    const made = await post<Row>(row['related'].copy, { name: name.value });
    toast(t`${nameOf(resource, made)} is created.`, 'good');
    onClose();
    go(pageOf(row.type, made.id) ?? `/${resource.path}`);
  };
  return (
    <Dialog title={t`Copy ${nameOf(resource, row)}`} onClose={onClose}>
      <Form submit={t`Copy`} busy={t`Copying …`} errors={errors} known={['name']} onSubmit={copy} onCancel={onClose}>
        <TextField
          label={t`Name of the copy`}
          name="name"
          required
          errors={errors.value['name']}
          value={name.value}
          onValue={(value) => void (name.value = value)}
        />
      </Form>
    </Dialog>
  );
}

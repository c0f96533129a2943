import { useSignal } from '@preact/signals';
import type { FieldErrors } from '../../api/http.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { PasswordFields } from '../launch/password-fields.tsx';

interface Props {
  names: readonly string[];
  onClose: () => void;
  onSubmit: (passwords: Record<string, string>) => Promise<void>;
}

export function PasswordsDialog({ names, onClose, onSubmit }: Props) {
  const given = useSignal<Record<string, string>>({});
  const errors = useSignal<FieldErrors>({});
  return (
    <Dialog title="Passwords for this launch" onClose={onClose}>
      <Form
        submit="Relaunch"
        busy="Launching …"
        errors={errors}
        known={[]}
        onCancel={onClose}
        onSubmit={() => onSubmit(given.value)}
      >
        <PasswordFields names={names} passwords={given} errors={errors.value} />
      </Form>
    </Dialog>
  );
}

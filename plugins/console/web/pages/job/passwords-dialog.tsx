import { useSignal } from '@preact/signals';
import type { FieldErrors } from '../../api/http.ts';
import { Dialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { passwordLabel } from '../launch/password-label.ts';

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
        {names.map((name) => (
          <TextField
            key={name}
            label={passwordLabel(name)}
            name={name}
            type="password"
            required
            value={given.value[name] ?? ''}
            onValue={(value) => void (given.value = { ...given.value, [name]: value })}
          />
        ))}
      </Form>
    </Dialog>
  );
}

import { useSignal } from '@preact/signals';
import { Dialog, type FieldErrors, Form, t } from '@tapline/console-kit';
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
    <Dialog title={t`Passwords for this launch`} onClose={onClose}>
      <Form
        submit={t`Relaunch`}
        busy={t`Launching …`}
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

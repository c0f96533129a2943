import { useSignal } from '@preact/signals';
import {
  ApiFailure,
  Form,
  post,
  RelationPicker,
  type Row,
  SelectField,
  toast,
  useFields,
  t,
} from '@tapline/console-kit';

interface ObjectRole {
  id: number;
  name: string;
  description: string;
  /** teams cannot hold it */
  user_only?: boolean;
}

const kinds = [
  { value: 'users', label: t`A user` },
  { value: 'teams', label: t`A team` },
];

/** Gives a role on this record to somebody, or to a team. */
export function GrantForm({ row, onDone }: { row: Row; onDone: () => Promise<void> }) {
  const open = useSignal(false);
  const roles: ObjectRole[] = Object.values(row.summary_fields['object_roles'] ?? {});
  if (!roles.length) return null;
  const close = () => void (open.value = false);
  if (open.value) return <Grant roles={roles} onDone={() => onDone().then(close)} onCancel={close} />;
  return (
    <p class="tab-actions">
      <button type="button" onClick={() => void (open.value = true)}>{t`Give a role`}</button>
    </p>
  );
}

interface Props {
  roles: ObjectRole[];
  onDone: () => Promise<void>;
  onCancel: () => void;
}

function Grant({ roles, onDone, onCancel }: Props) {
  const { values, errors, bind, set } = useFields({ kind: 'users', id: '', role: '' });
  const { kind } = values.value;
  const fitting = roles.filter(({ user_only }) => kind === 'users' || !user_only);
  const grant = async () => {
    const { id, role } = values.value;
    if (!id || !role)
      throw new ApiFailure(400, { ...(!id && { id: [t`Choose one.`] }), ...(!role && { role: [t`Choose a role.`] }) });
    await post(`roles/${role}/${kind}/`, { id: Number(id) });
    toast(t`The role is given.`, 'good');
    await onDone();
  };
  return (
    <Form submit={t`Give role`} errors={errors} known={['id', 'role']} onSubmit={grant} onCancel={onCancel}>
      <SelectField
        {...bind('kind')}
        label={t`To`}
        preset
        choices={kinds}
        onValue={(value) => set({ kind: value, id: '', role: '' })}
      />
      <RelationPicker
        {...bind('id')}
        key={kind}
        label={kind === 'users' ? t`User` : t`Team`}
        list={`${kind}/`}
        required
      />
      <SelectField
        {...bind('role')}
        label={t`Role`}
        required
        empty={t`Choose one`}
        hint={fitting.find(({ id }) => String(id) === values.value.role)?.description}
        choices={fitting.map(({ id, name }) => ({ value: String(id), label: name }))}
      />
    </Form>
  );
}

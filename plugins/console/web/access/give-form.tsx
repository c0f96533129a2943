import { useSignal } from '@preact/signals';
import {
  ApiFailure,
  apiOf,
  Form,
  post,
  RelationPicker,
  type Row,
  SelectField,
  toast,
  useFields,
  useQuery,
  t,
} from '@tapline/console-kit';
import { resources } from '../resources/registry.ts';
import { accessTab } from './access-tab.tsx';

/** Kinds of records that roles are given on. */
const kinds = resources.filter(({ tabs }) => tabs?.includes(accessTab));

interface Props {
  /** of the roles that are held, below /api/v2/ */
  api: string;
  teams: boolean;
  onDone: () => Promise<void>;
}

/** Gives a role on some record to a user or a team. */
export function GiveForm(props: Props) {
  const open = useSignal(false);
  const close = () => void (open.value = false);
  if (open.value) return <Give {...props} onDone={() => props.onDone().then(close)} onCancel={close} />;
  return (
    <p class="tab-actions">
      <button type="button" onClick={() => void (open.value = true)}>{t`Give a role`}</button>
    </p>
  );
}

function Give({ api, teams, onDone, onCancel }: Props & { onCancel: () => void }) {
  const { values, errors, bind, set } = useFields({ kind: kinds[0]!.path, on: '', role: '' });
  const { kind, on, role } = values.value;
  const resource = kinds.find(({ path }) => path === kind)!;
  const record = useQuery<Row>(on ? `${apiOf(resource)}${on}/` : null);
  const all: Record<string, any>[] = Object.values(record.data.value?.summary_fields['object_roles'] ?? {});
  // teams cannot hold every role
  const roles = on ? all.filter(({ user_only }) => !(teams && user_only)) : [];
  const give = async () => {
    if (!on || !role)
      throw new ApiFailure(400, { ...(!on && { on: [t`Choose one.`] }), ...(!role && { role: [t`Choose a role.`] }) });
    await post(api, { id: Number(role) });
    toast(t`The role is given.`, 'good');
    await onDone();
  };
  return (
    <Form submit={t`Give role`} errors={errors} known={['on', 'role']} onSubmit={give} onCancel={onCancel}>
      <SelectField
        {...bind('kind')}
        label={t`On what`}
        preset
        choices={kinds.map(({ path, one }) => ({ value: path, label: one }))}
        onValue={(value) => set({ kind: value, on: '', role: '' })}
      />
      <RelationPicker
        {...bind('on')}
        key={kind}
        label={t`Which one`}
        list={apiOf(resource)}
        required
        onValue={(value) => set({ on: value, role: '' })}
      />
      <SelectField
        {...bind('role')}
        label={t`Role`}
        required
        empty={t`Choose one`}
        hint={roles.find(({ id }) => String(id) === role)?.['description']}
        choices={roles.map(({ id, name }) => ({ value: String(id), label: String(name) }))}
      />
    </Form>
  );
}
